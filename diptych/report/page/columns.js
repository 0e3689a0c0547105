// The columns of all pairs, as `_columns.py` packs them, and how they are searched.

async function unpack(element) {
  const text = element.textContent;
  element.remove();
  const stream = new Blob([decodeBase64(text)]).stream().pipeThrough(new DecompressionStream('deflate'));
  const buffer = await new Response(stream).arrayBuffer();
  const size = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)));
  return new Columns(header, buffer, 4 + size);
}

function decodeBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text), bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

class Columns {
  constructor(header, buffer, start) {
    Object.assign(this, header, { buffer, start, cache: new Map() });
  }

  has(name) { return Object.hasOwn(this.columns, name); }

  once(key, make) {
    if (!this.cache.has(key)) this.cache.set(key, make());
    return this.cache.get(key);
  }

  bytes(name) {
    const [at, size] = this.columns[name].at;
    return new Uint8Array(this.buffer, this.start + at, size);
  }

  text(name) { return new TextDecoder().decode(this.bytes(name)); }

  words(name) { return this.once(name, () => this.text(name).split('\0')); }

  codes(name) {
    return this.once(name, () => {
      const { at: [at, size], kind } = this.columns[name], width = +kind[1];
      return new ({ 1: Uint8Array, 2: Uint16Array, 4: Uint32Array })[width](this.buffer, this.start + at, size / width);
    });
  }

  // A column as codes and words, whichever way it is stored.
  coded(name) {
    const { kind, words } = this.columns[name];
    if (kind !== 'text') return { codes: this.codes(name), words: this.words(words) };
    return this.once(`${name} coded`, () => {
      const places = new Map(), codes = Uint32Array.from(this.words(name), word => {
        if (!places.has(word)) places.set(word, places.size);
        return places.get(word);
      });
      return { codes, words: [...places.keys()] };
    });
  }

  get(name, row) {
    if (!this.has(name)) return '';
    const { kind, words, start } = this.columns[name];
    return (kind === 'text' ? this.words(name)[row - start] : this.words(words)[this.codes(name)[row - start]]) ?? '';
  }

  part(row) { return this.parts[this.codes('part')[row]]; }

  question(row, side) { return this.words('questions')[2 * row + side]; }

  pairId(row) {
    const { kind, width } = this.columns.pair_id;
    if (kind === 'text') return this.words('pair_id')[row];
    return Array.from(this.bytes('pair_id').subarray(row * width, (row + 1) * width), byte => byte.toString(16).padStart(2, '0')).join('');
  }

  rowOf(id) {
    const { kind, width } = this.columns.pair_id;
    if (kind === 'text') return this.words('pair_id').indexOf(id);
    if (!/^([0-9a-f]{2})+$/.test(id) || id.length > 2 * width || id.length < 8) return -1;
    const start = id.match(/../g).map(pair => parseInt(pair, 16)), bytes = this.bytes('pair_id');
    for (let row = 0; row < this.rows; row++) {
      let k = 0;
      while (k < start.length && bytes[row * width + k] === start[k]) k++;
      if (k === start.length) return row;
    }
    return -1;
  }

  samePicture(row) { return !this.codes('perturbed_picture')[row]; }

  picture(row, side) {
    const number = (side && this.codes('perturbed_picture')[row]) || this.codes('picture')[row];
    return {
      name: this.words('pictures#')[number], width: this.codes('widths')[number], height: this.codes('heights')[number],
      file: `pictures/${Math.floor(number / 1000)}/${number}.jpg`,
    };
  }

  // One lower-case string of a text column and where its rows begin: one loop of indexOf searches all of them.
  haystack(name) {
    return this.once(`${name} haystack`, () => {
      const text = this.text(name).toLowerCase(), perRow = name === 'questions' ? 2 : 1, starts = [];
      for (let at = 0; at <= text.length;) {
        starts.push(at);
        for (let k = 0; k < perRow; k++) at = text.indexOf('\0', at) + 1 || text.length + 1;
      }
      return { text, starts: Uint32Array.from([...starts, text.length + 1]) };
    });
  }

  // Prepare what a search looks through, so that the first one is as quick as the others.
  *prepare() {
    for (const [name, { kind }] of Object.entries(this.columns)) {
      if (kind !== 'text' || name === 'pair_id' || DRAWN.has(name.replace('#', ''))) continue;
      if (name.endsWith('#')) this.lowerWords(name); else this.haystack(name);
      yield name;
    }
  }

  lowerWords(name) { return this.once(`${name} lower`, () => this.words(name).map(word => word.toLowerCase())); }

  // Which rows hold a lower-case text in a question, an answer, a reply or a reason.
  search(query) {
    const hits = new Uint8Array(this.rows);
    for (const name of Object.keys(this.columns)) {
      if (this.columns[name].kind === 'text' && !name.endsWith('#') && name !== 'pair_id' && !DRAWN.has(name)) this.searchTexts(name, query, hits);
    }
    const matches = new Map();
    for (const [name, { words, start }] of Object.entries(this.columns)) {  // repeated texts are looked through once
      if (!words || DRAWN.has(name)) continue;
      if (!matches.has(words)) matches.set(words, this.matchingWords(words, query));
      const flags = matches.get(words), codes = flags && this.codes(name);
      for (let at = 0; flags && at < codes.length; at++) hits[start + at] |= flags[codes[at]];
    }
    const row = this.rowOf(query);
    if (row >= 0) hits[row] = 1;
    return hits;
  }

  searchTexts(name, query, hits) {
    const { text, starts } = this.haystack(name), last = starts.length - 2, first = this.columns[name].start ?? 0;
    for (let at = text.indexOf(query), row = 0; at >= 0; at = text.indexOf(query, starts[row + 1])) {
      while (starts[row + 1] <= at) row++;
      hits[first + row] = 1;
      if (row === last) break;
    }
  }

  matchingWords(name, query) {
    const words = this.lowerWords(name), flags = new Uint8Array(words.length);
    let any = false;
    for (let i = 0; i < words.length; i++) if (words[i].includes(query)) any = flags[i] = 1;
    return any && flags;
  }
}
const DRAWN = new Set(['+graph', '+boxes']);  // these are drawn, and hold numbers beside words

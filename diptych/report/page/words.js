// Elements, and the word-level difference of two questions. Text goes into the page as text only.

const SVG = 'http://www.w3.org/2000/svg';
const $ = id => document.getElementById(id);

function h(tag, attributes, ...children) {
  const [, svg, name] = /^(svg:)?(.+)$/.exec(tag);
  const node = svg ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (key === 'css') for (const [property, setting] of Object.entries(value)) node.style.setProperty(property, setting);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value === true ? '' : value);
  }
  node.append(...children.flat(2).filter(child => child !== null && child !== undefined && child !== false && child !== ''));
  return node;
}
const s = (tag, attributes, ...children) => h(`svg:${tag}`, attributes, ...children);
const bdi = text => h('bdi', null, text);
const number = value => value.toLocaleString('en');
const glyph = outcome => s('svg', { class: `glyph ${outcome}`, viewBox: '0 0 20 14', 'aria-hidden': 'true' },
  s('rect', { x: 1, y: 1, width: 8, height: 12, rx: 1 }), s('rect', { x: 11, y: 1, width: 8, height: 12, rx: 1 }));

const tokens = text => text.match(/\s+|[\p{L}\p{M}\p{N}'’_-]+|[^]/gu) ?? [];
const countWords = list => list.filter(token => token.trim()).length;

// Both texts as parts [text, is changed], by the longest common subsequence of their words.
function compareWords(before, after) {
  const a = tokens(before), b = tokens(after), whole = [[[before, false]], [[after, false]]];
  if (a.length * b.length > 250000) return whole;
  const wide = b.length + 1, table = new Uint16Array((a.length + 1) * wide);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      table[i * wide + j] = a[i] === b[j] ? table[(i + 1) * wide + j + 1] + 1 : Math.max(table[(i + 1) * wide + j], table[i * wide + j + 1]);
    }
  }
  const sides = [[], []];
  let common = 0;
  const push = (side, text, isChanged) => {
    const last = sides[side].at(-1);
    if (last && last[1] === isChanged) last[0] += text; else sides[side].push([text, isChanged]);
  };
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      common += a[i].trim() ? 1 : 0;
      push(0, a[i++], false); push(1, b[j++], false);
    } else if (j < b.length && (i === a.length || table[i * wide + j + 1] >= table[(i + 1) * wide + j])) push(1, b[j++], true);
    else push(0, a[i++], true);
  }
  if (3 * common < Math.min(countWords(a), countWords(b))) return whole;  // nearly everything is new
  return sides.map(joinChanges);
}

// Two changed words and a space between them are one change.
function joinChanges(parts) {
  const joined = [...parts];
  for (let i = joined.length - 2; i > 0; i--) {
    const [before, between, after] = joined.slice(i - 1, i + 2);
    if (!between[1] && !between[0].trim() && before[1] && after[1]) joined.splice(i - 1, 3, [before[0] + between[0] + after[0], true]);
  }
  return joined;
}

const markWords = (before, after) => compareWords(before, after)
  .map((parts, side) => parts.map(([text, isChanged]) => isChanged && text.trim() ? markPart(text, side) : text));

function markPart(text, side) {  // the spaces around a change are not marked
  const words = text.trim(), at = text.indexOf(words);
  return [text.slice(0, at), h(side ? 'ins' : 'del', null, words), text.slice(at + words.length)];
}

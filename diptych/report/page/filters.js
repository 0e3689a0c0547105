// Which pairs are listed: the state, which the address holds too, and one pass over all pairs for list and counts.

const FIELDS = ['dataset', 'test', 'type', 'model', 'versus', 'outcome', 'column', 'value', 'q', 'pair'];
const NOT_ASKED = 7, OUTCOME = 7, KEPT = 8;
const OUTCOME_LABELS = {
  both_right: 'right → right', right_to_wrong: 'right → wrong', wrong_to_right: 'wrong → right', both_wrong: 'wrong → wrong',
  changed: 'changed', stayed: 'stayed', unread: 'unread', kept: 'kept, should change',
};
const NO_FILTERS = { dataset: '', test: '', type: '', outcome: '', column: '', value: '', q: '' };

let data, state = Object.fromEntries(FIELDS.map(field => [field, '']));
let rows = new Uint32Array(0), chosen = -1;
const searched = { query: '', hits: null };

function readHash() {
  const query = location.hash.startsWith('#pairs?') ? location.hash.slice(7) : '';
  const fields = new URLSearchParams(query);
  return Object.fromEntries(FIELDS.map(field => [field, fields.get(field) ?? '']));
}

function writeHash() {
  const fields = FIELDS.filter(field => state[field]).map(field => `${field}=${encodeURIComponent(state[field]).replaceAll('%2C', ',')}`);
  history.replaceState(null, '', fields.length ? `#pairs?${fields.join('&')}` : '#pairs');
}

const modelIndex = name => data.models.findIndex(model => model.name === name);
const mainModel = () => Math.max(0, modelIndex(state.model));
const outcomeName = (model, row) => data.outcomes[data.codes(`verdict${model}`)[row] & OUTCOME] ?? 'not_asked';

// The pairs of part and test, as one list of what occurs together.
function testKeys() {
  return data.once('test keys', () => {
    const { codes, words } = data.coded('test'), parts = data.codes('part'), keys = new Uint16Array(data.rows), list = [], places = new Map();
    for (let row = 0; row < data.rows; row++) {
      const key = parts[row] * words.length + codes[row];
      if (!places.has(key)) { places.set(key, list.length); list.push({ part: parts[row], test: words[codes[row]] }); }
      keys[row] = places.get(key);
    }
    return { keys, list };
  });
}

function findHits() {
  const query = state.q.trim().toLowerCase();
  if (query !== searched.query) { searched.query = query; searched.hits = query ? data.search(query) : null; }
  return searched.hits;
}

// Whether each row has the value of a further column; null where none is asked for.
function columnHits() {
  const name = [`+${state.column}`, state.column].find(candidate => data.has(candidate));
  if (!state.column || !name) return null;
  const { codes, words } = data.coded(name), code = words.indexOf(state.value), start = data.columns[name].start ?? 0, hits = new Uint8Array(data.rows);
  for (let at = 0; at < codes.length; at++) hits[start + at] = codes[at] === code ? 1 : 0;
  return hits;
}

function outcomeTest() {
  const names = state.outcome.split(',').filter(Boolean);
  if (!names.length) return null;
  const wanted = new Uint8Array(8);
  for (const name of names) if (data.outcomes.includes(name)) wanted[data.outcomes.indexOf(name)] = 1;
  const kept = names.includes('kept') ? KEPT : 0, first = names.includes('only_first'), second = names.includes('only_second');
  return (a, b) => wanted[a & OUTCOME] || a & kept || first && onlyFirst(a, b) || second && onlyFirst(b, a);
}
const onlyFirst = (a, b) => (a & OUTCOME) === 0 && (b & OUTCOME) !== 0 && (b & OUTCOME) !== NOT_ASKED;

function filter() {
  const started = performance.now(), size = data.rows, hits = findHits(), values = columnHits(), passes = outcomeTest();
  const verdicts = data.codes(`verdict${mainModel()}`), other = modelIndex(state.versus), others = other < 0 ? null : data.codes(`verdict${other}`);
  const { keys, list } = testKeys(), types = data.coded('question_type'), type = state.type ? types.words.indexOf(state.type) : -1;
  const fits = Uint8Array.from(list, key => (!state.dataset || data.parts[key.part].name === state.dataset) && (!state.test || key.test === state.test) ? 1 : 0);
  const counts = { test: new Uint32Array(list.length), type: new Uint32Array(types.words.length), verdict: new Uint32Array(256), first: 0, second: 0 };
  const kept = new Uint32Array(size);
  let length = 0;
  for (let row = 0; row < size; row++) {
    if (hits && !hits[row] || values && !values[row]) continue;
    const verdict = verdicts[row], rival = others ? others[row] : NOT_ASKED, key = keys[row];
    const isTest = fits[key], isType = type < 0 || types.codes[row] === type, isOutcome = !passes || passes(verdict, rival);
    if (isType && isOutcome) counts.test[key]++;  // a choice counts what the other filters let through
    if (isTest && isOutcome) counts.type[types.codes[row]]++;
    if (!isTest || !isType) continue;
    counts.verdict[verdict]++;
    if (others) { if (onlyFirst(verdict, rival)) counts.first++; else if (onlyFirst(rival, verdict)) counts.second++; }
    if (isOutcome) kept[length++] = row;
  }
  rows = kept.slice(0, length);
  drawFilters(counts);
  const row = state.pair ? data.rowOf(state.pair) : -1;
  chosen = row < 0 ? -1 : rows.indexOf(row);
  drawCount(length);
  drawList(true);
  performance.measure('filter', { start: started });
}

function drawCount(length) {
  $('count').textContent = `${number(length)} of ${number(data.rows)} pairs`;
  if (length) return;
  $('chips').append(h('button', { type: 'button', id: 'clear', onclick: () => setState(NO_FILTERS) }, 'Clear filters'));
  $('pair').replaceChildren(h('p', { class: 'empty' }, 'No pair matches these filters.'));
}

function fillSelect(select, groups, value) {
  const key = JSON.stringify(groups);
  if (select.dataset.key !== key) {
    const option = ([code, label]) => h('option', { value: code }, label);
    select.replaceChildren(...groups.flatMap(({ label, options }) => label ? [h('optgroup', { label }, options.map(option))] : options.map(option)));
    select.dataset.key = key;
  }
  select.value = value;
}

const testValue = (dataset, test) => JSON.stringify([dataset, test]);

function drawFilters(counts) {
  drawTests(counts.test);
  const types = data.coded('question_type').words.map((word, i) => [word, `${word} (${number(counts.type[i])})`, counts.type[i]])
    .filter(([word, , count]) => word && (count || word === state.type)).sort((a, b) => a[0] < b[0] ? -1 : 1);
  fillSelect($('type'), [{ options: [['', 'All types'], ...types.map(([word, label]) => [word, label])] }], state.type);
  const names = data.models.map(model => [model.name, model.name]), main = data.models[mainModel()]?.name ?? '';
  fillSelect($('model'), [{ options: names }], main);
  fillSelect($('versus'), [{ options: [['', 'No other model'], ...names.filter(([name]) => name !== main)] }], state.versus);
  $('versus').disabled = names.length < 2;
  if (document.activeElement !== $('q')) $('q').value = state.q;
  drawChips(counts, main);
}

function drawTests(counts) {
  const { list } = testKeys();
  const groups = data.parts.map((part, index) => {
    const own = list.map((key, i) => ({ ...key, count: counts[i] })).filter(key => key.part === index);
    const total = own.reduce((sum, key) => sum + key.count, 0);
    const options = own.filter(key => key.count || key.test === state.test).sort((a, b) => a.test < b.test ? -1 : 1)
      .map(key => [testValue(part.name, key.test), `${key.test || 'no test'} (${number(key.count)})`]);
    return { label: part.name, options: [[testValue(part.name, ''), `All of ${part.name} (${number(total)})`], ...options] };
  });
  const dataset = state.dataset || (state.test && data.parts[list.find(key => key.test === state.test)?.part]?.name) || '';
  fillSelect($('test'), [{ options: [['', 'All tests']] }, ...groups], dataset ? testValue(dataset, state.test) : '');
}

function drawChips(counts, main) {
  const focus = document.activeElement?.dataset?.code, pressed = new Set(state.outcome.split(','));
  const count = test => counts.verdict.reduce((sum, n, verdict) => test(verdict) ? sum + n : sum, 0);
  const chip = (code, label, n, mark) => n || pressed.has(code)
    ? h('button', { type: 'button', class: 'chip', 'data-code': code, 'aria-pressed': String(pressed.has(code)) }, mark, h('span', null, label), h('b', null, number(n))) : null;
  const chips = data.outcomes.map((code, i) => chip(code, OUTCOME_LABELS[code], count(verdict => (verdict & OUTCOME) === i), glyph(code)));
  chips.push(chip('kept', OUTCOME_LABELS.kept, count(verdict => verdict & KEPT), glyph('kept')));
  if (state.versus) chips.push(chip('only_first', `only ${main} right`, counts.first), chip('only_second', `only ${state.versus} right`, counts.second));
  if (state.column) chips.push(h('button', { type: 'button', class: 'chip', 'data-code': 'column', 'aria-pressed': 'true' }, bdi(`${state.column.replaceAll('_', ' ')} = ${state.value}`), h('span', { 'aria-hidden': 'true' }, '×'), h('span', { class: 'sr' }, 'remove')));
  $('chips').replaceChildren(...chips.filter(Boolean));
  if (focus) [...$('chips').children].find(node => node.dataset.code === focus)?.focus();
}

function toggleChip(code) {
  if (code === 'column') { setState({ column: '', value: '' }); return; }
  const codes = new Set(state.outcome.split(',').filter(Boolean));
  if (!codes.delete(code)) codes.add(code);
  setState({ outcome: [...codes].join(',') });
}

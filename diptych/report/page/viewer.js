// The list of pairs, of which only what is on the screen exists, keys and events, and the start.

const ROW = 76, NARROW = matchMedia('(max-width: 860px)');
const items = new Map();

function drawList(isNew) {
  const list = $('list');
  $('spacer').style.height = `${rows.length * ROW}px`;
  if (isNew) {
    for (const node of items.values()) node.remove();
    items.clear();
    if (chosen < 0) list.scrollTop = 0; else scrollToChosen();
  }
  const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 4), last = Math.min(rows.length, Math.ceil((list.scrollTop + list.clientHeight) / ROW) + 4);
  for (const [index, node] of items) if (index < first || index >= last) { node.remove(); items.delete(index); }
  for (let index = first; index < last; index++) {
    if (!items.has(index)) { const node = drawItem(index); items.set(index, node); list.append(node); }
  }
  for (const [index, node] of items) node.setAttribute('aria-selected', String(index === chosen));
  if (items.has(chosen)) list.setAttribute('aria-activedescendant', `item-${chosen}`); else list.removeAttribute('aria-activedescendant');
}

function drawItem(index) {
  const row = rows[index], main = mainModel(), picture = data.picture(row, 0), outcome = outcomeName(main, row);
  const before = data.question(row, 0), after = data.question(row, 1), operation = extra('operation', row);
  const second = before === after ? h('p', { class: 'meta' }, operation ? `same question, picture: ${operation}` : 'same question, other picture')
    : h('p', { dir: 'auto' }, markWords(before, after)[1]);
  const reading = side => bdi(data.get(`reading${main}.${side}`, row) || '?'), label = OUTCOME_LABELS[outcome] ?? 'not asked';
  const said = outcome === 'not_asked' ? [] : [' · ', reading(0), ' → ', reading(1)];
  const node = h('div', { class: 'item', role: 'option', id: `item-${index}`, 'aria-setsize': rows.length, 'aria-posinset': index + 1, css: { top: `${index * ROW}px` }, onclick: () => choose(index, true) },
    picture.width ? h('img', { src: picture.file, alt: '', loading: 'lazy', decoding: 'async', width: 64, height: 48 }) : h('span', { class: 'none' }),
    h('div', null, h('p', { dir: 'auto' }, before), second, h('p', { class: 'meta' }, bdi(data.get('test', row)), said)),
    h('span', { title: label }, glyph(outcome), h('span', { class: 'sr' }, label)));
  return node;
}

function scrollToChosen() {
  const list = $('list'), top = chosen * ROW;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW - list.clientHeight;
}

function choose(index, isOpened) {
  if (index < 0 || index >= rows.length) return;
  chosen = index;
  scrollToChosen();
  state.pair = data.pairId(rows[index]);
  writeHash();
  drawList();
  drawPair(rows[index]);
  if (isOpened) openPair();
}

function openPair() {
  document.body.classList.add('open');
  if (NARROW.matches) $('pair').focus({ preventScroll: true });
}

function closePair() {
  document.body.classList.remove('open');
  $('list').focus({ preventScroll: true });
}

function setState(change) {
  state = { ...state, ...change };
  filter();
  writeHash();
  if (chosen >= 0) drawPair(rows[chosen]); else if (rows.length && !NARROW.matches) choose(0);
}

function reveal() { $('pairs').scrollIntoView({ block: 'start', behavior: 'instant' }); }

// Show what the address asks for; a pair that its filters hide is shown without them.
function follow() {
  state = readHash();
  filter();
  if (state.pair && chosen < 0 && data.rowOf(state.pair) >= 0) { state = { ...state, ...NO_FILTERS }; filter(); }
  const isAsked = location.hash.startsWith('#pairs');
  if (chosen >= 0) choose(chosen, NARROW.matches); else if (rows.length && !NARROW.matches && isAsked) choose(0); else if (rows.length && !NARROW.matches) showFirst();
  if (isAsked) reveal();
}

// The first pair is shown without a word about it in the address.
function showFirst() {
  chosen = 0;
  drawList();
  drawPair(rows[0]);
}

// ---- keys

function moves(target) {
  const list = $('list'), page = Math.floor(list.clientHeight / ROW), isList = target === list;
  const isPair = target.closest('#pair') && !target.closest('button, summary, a');
  return {
    ...($('keys').checked ? { j: 1, k: -1 } : {}), ...(isList || isPair ? { ArrowRight: 1, ArrowLeft: -1 } : {}),
    ...(isList ? { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -rows.length, End: rows.length } : {}),
  };
}

function pressKey(event) {
  const { target, key } = event, list = $('list');
  if (event.ctrlKey || event.metaKey || event.altKey || $('erratum').open) return;
  if (key === 'Escape') {
    if (document.body.classList.contains('open') && NARROW.matches) closePair();
    else if (target === $('q')) { $('q').value = ''; setState({ q: '' }); list.focus(); }
    return;
  }
  const isHere = target === document.body || target.closest('#pairs'), step = isHere && moves(target)[key];
  if (target.matches('input, select, textarea') || !isHere) return;
  if (key === '/' && $('keys').checked) { event.preventDefault(); reveal(); $('q').focus(); $('q').select(); }
  else if (key === 'Enter' && target === list && chosen >= 0) { openPair(); $('pair').focus({ preventScroll: true }); }
  else if (step) {
    event.preventDefault();
    choose(Math.max(0, Math.min(rows.length - 1, chosen + step)));
    if (target === document.body) $('viewer').scrollIntoView({ block: 'nearest' });
  }
}

function remember(name, value) { try { localStorage.setItem(name, value); } catch { /* storage is off */ } }
function recall(name) { try { return localStorage.getItem(name); } catch { return null; } }

function listen() {
  const list = $('list');
  let frame = 0, typing = 0;
  list.addEventListener('scroll', () => { frame ||= requestAnimationFrame(() => { frame = 0; drawList(); }); }, { passive: true });
  new ResizeObserver(() => drawList()).observe(list);
  $('filters').addEventListener('submit', event => event.preventDefault());
  $('q').addEventListener('input', () => { clearTimeout(typing); typing = setTimeout(() => setState({ q: $('q').value }), 90); });
  $('test').addEventListener('change', () => { const [dataset, test] = JSON.parse($('test').value || '["",""]'); setState({ dataset, test }); });
  $('type').addEventListener('change', () => setState({ type: $('type').value }));
  $('model').addEventListener('change', () => setState({ model: $('model').value, versus: state.versus === $('model').value ? '' : state.versus }));
  $('versus').addEventListener('change', () => setState({ versus: $('versus').value, outcome: state.outcome.split(',').filter(code => !code.startsWith('only_')).join(',') }));
  $('chips').addEventListener('click', event => { const chip = event.target.closest('.chip'); if (chip) toggleChip(chip.dataset.code); });
  $('keys').checked = recall('diptych-keys') !== 'off';
  $('keys').addEventListener('change', () => remember('diptych-keys', $('keys').checked ? 'on' : 'off'));
  window.addEventListener('hashchange', () => { if (location.hash.startsWith('#pairs?')) follow(); });
  document.addEventListener('keydown', pressKey);
}

$('theme').addEventListener('click', () => {
  const root = document.documentElement, dark = matchMedia('(prefers-color-scheme: dark)').matches;
  const theme = (root.style.colorScheme || (dark ? 'dark' : 'light')) === 'dark' ? 'light' : 'dark';
  root.style.colorScheme = theme;
  remember('diptych-theme', theme);
});

// Do the steps of some work one by one, while nothing else is to be done.
function whenIdle(steps) {
  const idle = window.requestIdleCallback ?? (work => setTimeout(work, 50));
  idle(() => { if (!steps.next().done) whenIdle(steps); else performance.mark('prepared'); });
}

// The page is painted first, and its pairs are unpacked then.
requestAnimationFrame(() => setTimeout(async () => {
  try {
    data = await unpack($('data'));
    listen();
    follow();
    performance.mark('ready');
    whenIdle(data.prepare());
  } catch (error) {
    $('count').textContent = `The pairs cannot be loaded: ${error.message}. Try a newer browser.`;
    throw error;
  }
}));

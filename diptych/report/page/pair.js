// One pair: its pictures and questions side by side, what each model replied, and why the pair is so.

const SIDES = ['original', 'perturbed'];
const EXPECTATIONS = {
  same: 'The answer should stay the same.', different: 'The answer should change.', given: 'Each side has its own right answer.',
  open: 'The right answer to the second side is not known; only the change is studied.',
};
const parse = (text, fallback) => { try { return JSON.parse(text); } catch { return fallback; } };
const extra = (name, row) => data.get(`+${name}`, row);

function drawPair(row) {
  const same = data.samePicture(row), boxes = parse(extra('boxes', row), []), operation = extra('operation', row);
  const marked = markWords(data.question(row, 0), data.question(row, 1));
  const shownBoxes = side => side && !same && !/^(blur|mask)/.test(operation) ? [] : boxes;
  $('pair').replaceChildren(
    drawBar(row),
    h('p', { class: 'expect' }, EXPECTATIONS[data.get('expectation', row)] ?? ''),
    h('div', { class: `sides${same ? ' same' : ''}` }, [0, 1].map(side => drawPicture(row, side, shownBoxes(side), operation)), [0, 1].map(side => drawSide(row, side, marked[side]))),
    h('h4', { class: 'part' }, 'Replies'), drawReplies(row),
    h('h4', { class: 'part' }, 'Why this pair'), drawReasons(row));
  $('pair').scrollTop = 0;
}

function drawBar(row) {
  const button = (label, action, name) => h('button', { type: 'button', onclick: action, 'aria-label': name }, label);
  return h('div', { class: 'bar' }, h('button', { type: 'button', class: 'back', onclick: closePair }, '← List'),
    h('h3', null, bdi(data.get('test', row))),
    button('↑', () => choose(chosen - 1), 'Previous pair'), button('↓', () => choose(chosen + 1), 'Next pair'),
    button('Copy link', () => copy(location.href, 'Link copied')), button('Copy as erratum', () => openErratum(row)));
}

function drawPicture(row, side, boxes, operation) {
  const { name, width, height, file } = data.picture(row, side), kind = `picture${side ? ' second' : ''}`;
  if (!name) return h('div', { class: kind }, h('p', null, 'No picture'));
  if (!width) return h('div', { class: kind }, h('p', null, 'Picture not in this report', h('br'), h('code', null, bdi(name))));
  const frames = boxes.flatMap(([x, y, w, high, label]) => [
    ...['box under', 'box'].map(style => s('rect', { class: style, x, y, width: w, height: high })),
    label ? s('text', { class: 'boxname', x: Math.max(2, Math.min(x + 3, width - 6.2 * label.length * width / 330)), y: Math.max(y - 5, 13), 'font-size': 12 * width / 330 }, label) : null,
  ]).filter(Boolean);
  const alt = `${SIDES[side]} picture ${name}${boxes.length ? `, with ${boxes.length} boxes` : ''}`;
  return h('div', { class: kind }, s('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': alt }, s('image', { href: file, width, height }), frames));
}

function drawSide(row, side, marked) {
  const answer = data.get(`${SIDES[side]}_answer`, row), references = data.get(`${SIDES[side]}_references`, row);
  return h('div', { class: `text${side ? ' second' : ''}` }, h('p', { class: 'side-label' }, side ? 'Perturbed' : 'Original'), h('p', { class: 'question', dir: 'auto' }, marked),
    h('p', { class: 'gold' }, answer ? ['Right answer: ', h('b', null, bdi(answer))] : 'Right answer not known', references ? h('small', null, ' (', bdi(references), ')') : null));
}

function drawReplies(row) {
  const main = mainModel(), order = [main, ...data.models.keys()].filter((model, at) => at === 0 || model !== main);
  const asked = order.filter(model => outcomeName(model, row) !== 'not_asked');
  if (!asked.length) return h('p', { class: 'soft' }, 'No model was asked about this pair.');
  const heads = ['Model', 'Original', 'Perturbed', 'Outcome'].map(title => h('th', { scope: 'col' }, title));
  return h('table', { class: 'replies' }, h('thead', null, h('tr', null, heads)), h('tbody', null, asked.map(model => drawReply(model, row, model === main))));
}

function drawReply(model, row, isMain) {
  const outcome = outcomeName(model, row), verdict = data.codes(`verdict${model}`)[row];
  const label = OUTCOME_LABELS[outcome], kept = verdict & KEPT ? h('small', null, 'kept, though it should change') : null;
  return h('tr', { class: isMain ? 'now' : null }, h('th', { scope: 'row' }, bdi(data.models[model].name)), [0, 1].map(side => drawSaid(model, row, side, verdict)),
    h('td', null, h('span', { class: 'verdict' }, glyph(outcome), h('span', null, label)), kept));
}

function drawSaid(model, row, side, verdict) {
  const reply = data.get(`reply${model}.${side}`, row), reading = data.get(`reading${model}.${side}`, row), reasoning = data.get(`reasoning${model}.${side}`, row);
  const isOpen = side && data.get('expectation', row) === 'open';
  const [style, mark] = !reading ? ['dim', 'not readable'] : isOpen ? ['', ''] : verdict & (side ? 32 : 16) ? ['ok', '✓ right'] : ['no', '✗ wrong'];
  const isPlain = reading === reply.toLowerCase().replace(/[.!\s]+$/, '');
  const note = reading && !isPlain ? ['read as ', bdi(reading), mark ? ' · ' : ''] : '';
  return h('td', null, bdi(reply || '(no answer)'), h('small', null, note, h('span', { class: style }, mark)),
    reasoning ? h('details', null, h('summary', null, 'Reasoning'), h('p', { class: 'reasoning', dir: 'auto' }, reasoning)) : null);
}

function drawReasons(row) {
  const [nodes, edges] = parse(extra('graph', row), [[], []]), code = text => h('code', null, bdi(text));
  const template = data.get('template_id', row), hash = data.get('template_hash', row), part = data.part(row);
  const names = [...new Set([0, 1].map(side => data.picture(row, side).name))].filter(Boolean);
  const own = Object.keys(data.columns).filter(name => name[0] === '+' && !name.endsWith('#') && !DRAWN.has(name))
    .map(name => [name.slice(1).replaceAll('_', ' '), data.get(name, row)]);
  const facts = [
    ['Source', `${data.get('source', row)} ${data.get('source_id', row)}`.trim()], ['Template', template && code(template + (hash ? ` @ ${hash}` : ''))],
    ['Question type', data.get('question_type', row)], ['Answer type', data.get('answer_type', row)], ['Pictures', names.length ? code(names.join(' · ')) : ''], ...own,
    ['Dataset', `${part.dataset} ${part.version}, ${part.config}/${part.split}`], ['Pair', code(data.pairId(row))],
  ].filter(([, value]) => value);
  return h('div', null, edges.length ? h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Graph of the relation between the two sides' }, drawGraph(nodes, edges)) : null,
    h('dl', { class: 'why' }, facts.flatMap(([name, value]) => [h('dt', null, bdi(name)), h('dd', null, typeof value === 'string' ? bdi(value) : value)])));
}

// ---- copying

let fading;
function toast(text) {
  $('toast').textContent = text;
  clearTimeout(fading);
  fading = setTimeout(() => { $('toast').textContent = ''; }, 2500);
}

async function copy(text, done) {
  try { await navigator.clipboard.writeText(text); } catch {
    const area = h('textarea', { class: 'sr', 'aria-hidden': 'true' });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
  toast(done);
}

function openErratum(row) {
  const dialog = $('erratum'), part = data.part(row);
  const line = () => JSON.stringify({ pair_id: data.pairId(row), reason: $('reason').value.trim(), since: part.version });
  const show = () => { $('line').textContent = line(); };
  $('errata-file').textContent = `${part.folder}/errata.jsonl`;
  $('reason').value = '';
  show();
  $('reason').oninput = show;
  dialog.onclose = () => { if (dialog.returnValue === 'copy') copy(line(), 'Erratum copied'); };
  dialog.returnValue = '';
  dialog.showModal();
}

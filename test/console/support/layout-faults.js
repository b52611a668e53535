// Runs in the page, so it has no types.

globalThis.findLayoutFaults = async (data) => {
  // The page draws itself again for another width.
  for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
  const { scrollWidth, clientWidth } = document.documentElement;
  const top = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;
  const elements = [...top.querySelectorAll('*')].filter(isShown);
  const faults = [
    ...(scrollWidth > clientWidth ? [`the page scrolls: ${scrollWidth} > ${clientWidth}`] : []),
    ...elements.flatMap(findCut),
    ...findCovered(elements),
    ...findForeign(top, data),
  ];
  return [...new Set(faults)];
};

/** Texts for screen readers alone, such as the head of a table on a phone, take no room. */
function isShown(element) {
  if (!element.checkVisibility({ visibilityProperty: true })) return false;
  return !ancestorsOf(element).some((one) => getComputedStyle(one).clipPath !== 'none');
}

function ancestorsOf(element) {
  const parent = element.parentElement;
  return parent === null ? [element] : [element, ...ancestorsOf(parent)];
}

function describe(element) {
  const nameOf = ({ localName, classList }) => [localName, ...classList].join('.');
  const parent = element.parentElement ?? element;
  return `${nameOf(parent)} > ${nameOf(element)} “${element.textContent.trim().slice(0, 40)}”`;
}

/** What is wider than its place, and has no dots and title; a row that is higher than its place. */
function findCut(element) {
  const { display, overflowX, textOverflow } = getComputedStyle(element);
  const { scrollWidth, clientWidth, scrollHeight, clientHeight } = element;
  // On a phone, the screens of the header and the table of a file scroll. A checkbox has a wider target.
  if (element.matches('.frame nav, .preview, .select, select, option, input, textarea')) return [];
  if (clientWidth === 0 || display === 'inline') return [];
  if (element.matches('[role="row"]') && scrollHeight > clientHeight + 1) {
    return [`higher than its place: ${scrollHeight} > ${clientHeight}: ${describe(element)}`];
  }
  const hasTitle = element.closest('[title]') ?? element.querySelector('[title]');
  if (scrollWidth <= clientWidth + 1 || (textOverflow === 'ellipsis' && hasTitle)) return [];
  return [`${overflowX}: ${scrollWidth} > ${clientWidth}: ${describe(element)}`];
}

/** Controls over others, and over texts. What stays in its place while the page scrolls may cover it. */
function findCovered(elements) {
  const still = elements.filter(
    (element) =>
      !ancestorsOf(element).some((one) => /fixed|sticky/.test(getComputedStyle(one).position)),
  );
  const controls = still.filter((one) =>
    one.matches('button, a, input, select, textarea, summary'),
  );
  const textBoxes = still.flatMap((element) =>
    [...element.childNodes]
      .filter((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== '')
      .flatMap((node) => boxesOf(node).map((box) => ({ element, box }))),
  );
  const boxes = [
    ...controls.map((element) => ({
      element,
      box: seen(element.getBoundingClientRect(), element),
    })),
    ...textBoxes,
  ];
  return controls.flatMap((control) => {
    const box = seen(control.getBoundingClientRect(), control);
    return boxes
      .filter(({ element }) => !element.contains(control) && !control.contains(element))
      .filter((other) => isOver(box, other.box))
      .map(({ element }) => `${describe(control)} is over ${describe(element)}`);
  });
}

function boxesOf(node) {
  const range = document.createRange();
  range.selectNodeContents(node);
  return [...range.getClientRects()].map((box) => seen(box, node.parentElement));
}

/** The part of a box that the boxes around it show. */
function seen(box, element) {
  const around = ancestorsOf(element)
    .filter((one) => getComputedStyle(one).overflowX !== 'visible' && one !== document.body)
    .map((one) => one.getBoundingClientRect());
  return {
    left: Math.max(box.left, ...around.map(({ left }) => left)),
    top: Math.max(box.top, ...around.map(({ top }) => top)),
    right: Math.min(box.right, ...around.map(({ right }) => right)),
    bottom: Math.min(box.bottom, ...around.map(({ bottom }) => bottom)),
  };
}

function isOver(one, other) {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  return width > 1 && height > 1;
}

/** Texts with Latin letters without accents, which are not of the pseudo-language. */
function findForeign(top, data) {
  const walker = document.createTreeWalker(top, NodeFilter.SHOW_TEXT);
  const texts = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node.parentElement.localName !== 'noscript') texts.push(node.textContent);
  }
  for (const name of ['aria-label', 'title', 'placeholder', 'alt']) {
    for (const element of top.querySelectorAll(`[${name}]`)) texts.push(element.getAttribute(name));
  }
  const withoutData = (text) => data.reduce((rest, pattern) => rest.replaceAll(pattern, ''), text);
  return texts
    .filter((text) => /[a-z]{2}/i.test(withoutData(text)))
    .map((text) => `not from texts/: “${text}”`);
}

export interface ChartLine {
  readonly name: string;
  /** In ascending order of `x`. */
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

export interface LineChart {
  readonly title: string;
  readonly xTitle: string;
  readonly yTitle: string;
  readonly formatX: (value: number) => string;
  readonly formatY: (value: number) => string;
  readonly lines: readonly ChartLine[];
}

const width = 860;
const height = 420;
const left = 80;
const right = 330;
const top = 50;
const bottom = 60;

/** Told apart by those who see few colours too (https://jfly.uni-koeln.de/color/). */
const colours = ['#d55e00', '#0072b2', '#56b4e9', '#009e73', '#cc79a7', '#7f7f7f', '#000000'];

/** Draws lines as SVG, on a logarithmic x axis and a y axis that starts at 0. */
export function drawLineChart(chart: LineChart): string {
  const { lines, formatX, formatY } = chart;
  const points = lines.flatMap((line) => line.points);
  const xs = [...new Set(points.map(({ x }) => x))].toSorted((a, b) => a - b);
  const yTicks = chooseTicks(Math.max(...points.map(({ y }) => y)));
  const xMin = Math.log(xs[0] ?? 1);
  const xMax = Math.log(xs.at(-1) ?? 1);
  const yMax = yTicks.at(-1) ?? 1;
  const toX = (x: number) =>
    round(left + ((Math.log(x) - xMin) / (xMax - xMin || 1)) * (width - left - right));
  const toY = (y: number) => round(height - bottom - (y / yMax) * (height - top - bottom));

  const grid = [
    ...yTicks.map((y) => {
      const line = `<path d="M${left} ${toY(y)}H${width - right}" stroke="#ddd"/>`;
      return `${line}${label(left - 8, toY(y) + 4, 'end', formatY(y))}`;
    }),
    ...xs.map((x) => label(toX(x), height - bottom + 20, 'middle', formatX(x))),
  ];
  const drawn = lines.map((line, index) => {
    const colour = colours[index % colours.length];
    const path = line.points.map(({ x, y }) => `${toX(x)} ${toY(y)}`).join('L');
    const dots = line.points.map(
      ({ x, y }) => `<circle cx="${toX(x)}" cy="${toY(y)}" r="3.5" fill="${colour}"/>`,
    );
    const keyY = top + 10 + index * 22;
    const key = `<path d="M${width - right + 20} ${keyY}h24" stroke="${colour}" stroke-width="3"/>`;
    return (
      `<path d="M${path}" fill="none" stroke="${colour}" stroke-width="2"/>${dots.join('')}` +
      `${key}${label(width - right + 52, keyY + 4, 'start', line.name)}`
    );
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13">
<title>${escapeText(chart.title)}</title>
<rect width="${width}" height="${height}" fill="#fff"/>
<text x="${left}" y="26" font-size="16">${escapeText(chart.title)}</text>
${grid.join('\n')}
${drawn.join('\n')}
${label((left + width - right) / 2, height - 14, 'middle', chart.xTitle)}
<text transform="translate(18 ${(top + height - bottom) / 2}) rotate(-90)" text-anchor="middle">${escapeText(chart.yTitle)}</text>
</svg>
`;
}

/** Round numbers from 0 to at least the largest value, five steps or a few more. */
function chooseTicks(max: number): readonly number[] {
  const rough = (max > 0 ? max : 1) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const count = Math.ceil(max / step);
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

function label(x: number, y: number, anchor: 'start' | 'middle' | 'end', text: string): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}">${escapeText(text)}</text>`;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

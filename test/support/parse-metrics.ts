/** One line of Prometheus' text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Parses the metrics of a server. Throws at a line with another form. */
export function parseMetrics(text: string): readonly Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const match = /^(?<name>[a-z_]+)(?:\{(?<labels>.*)\})? (?<value>\S+)$/.exec(line);
      if (match?.groups === undefined) throw new Error(`No sample: ${line}`);
      const { name = '', labels = '', value } = match.groups;
      const pairs = [...labels.matchAll(/(\w+)="([^"]*)",?/g)].map(([, key, text]) => [key, text]);
      return { name, labels: Object.fromEntries(pairs), value: Number(value) };
    });
}

export async function fetchMetrics(url: string): Promise<readonly Sample[]> {
  return parseMetrics(await (await fetch(url)).text());
}

/** The value with this name and these labels. */
export function findValue(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  return samples.find(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([key, text]) => sample.labels[key] === text),
  )?.value;
}

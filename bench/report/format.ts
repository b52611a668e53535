/** Three significant digits, or all digits before the point: `7.31`, `128`, `86 400`. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return '-';
  const [whole = '', fraction] = (
    Math.abs(value) >= 100 ? value.toFixed(0) : `${Number(value.toPrecision(3))}`
  ).split('.');
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ' ');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

export function formatRatio(value: number): string {
  return Number.isFinite(value) ? value.toFixed(value >= 9.95 ? 0 : 2) : '-';
}

export function formatShare(value: number): string {
  return Number.isFinite(value) ? `${(value * 100).toFixed(0)} %` : '-';
}

/** In millions of bytes, as disks and the aims count. */
export function formatMegabytes(bytes: number): string {
  return `${formatNumber(bytes / 1_000_000)} MB`;
}

/** `1 thousand`, `10 million`. */
export function formatAnimals(count: number): string {
  if (count >= 1_000_000) return `${count / 1_000_000} million`;
  return count >= 1000 ? `${count / 1000} thousand` : `${count}`;
}

// Numbers as a person reads them.

const THIN_SPACE = '\u2009';

/// Three significant digits, thousands grouped, powers of ten where needed: 0.0312, 1 250, 3.1e-7.
export function format_number(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e7) return value.toExponential(digits - 1).replace('e+', 'e');
  if (size >= 1000) return group_thousands(Math.round(value));
  return String(Number(value.toPrecision(digits)));
}

export function group_thousands(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, THIN_SPACE);
}

export function format_percent(part: number): string {
  return `${format_number(100 * part, 2)}${THIN_SPACE}%`;
}

/// 3.42 s, 2:05 min.
export function format_seconds(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(2)}${THIN_SPACE}s`;
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}${THIN_SPACE}min`;
}

/// Keys of the server's tables as words: "fresh_error" -> "fresh error".
export function words(key: string): string {
  return key.replaceAll('_', ' ');
}

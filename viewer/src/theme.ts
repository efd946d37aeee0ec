// Light or dark: as the system has it, until a person chooses the other.
import type { Theme } from './scene/palette';

const KEY = 'pliant.theme';

export class ThemeChoice {
  private readonly system = window.matchMedia('(prefers-color-scheme: dark)');

  constructor(private readonly changed: (theme: Theme) => void) {
    this.system.addEventListener('change', () => this.apply());
    this.apply();
  }

  get theme(): Theme {
    const stored = read();
    return stored ?? (this.system.matches ? 'dark' : 'light');
  }

  /// Back at what the system says, the page follows the system again.
  toggle(): void {
    const wanted: Theme = this.theme === 'dark' ? 'light' : 'dark';
    write(wanted === (this.system.matches ? 'dark' : 'light') ? null : wanted);
    this.apply();
  }

  private apply(): void {
    document.documentElement.dataset.theme = this.theme;
    this.changed(this.theme);
  }
}

// Storage may be forbidden; then the choice lasts as long as the page.
let unstored: Theme | null = null;

function read(): Theme | null {
  try {
    const value = localStorage.getItem(KEY);
    return value === 'light' || value === 'dark' ? value : null;
  } catch {
    return unstored;
  }
}

function write(theme: Theme | null): void {
  unstored = theme;
  try {
    if (theme) localStorage.setItem(KEY, theme);
    else localStorage.removeItem(KEY);
  } catch {
    // kept in `unstored`
  }
}

// The keyboard. Keys typed into a field belong to the field.

export interface KeyAction {
  keys: string[]; // as KeyboardEvent.key has them
  shown: string;
  does: string;
  act(): void;
}

export function listen_to_keys(actions: KeyAction[]): void {
  window.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (typing(event.target)) return;
    const action = actions.find((a) => a.keys.includes(event.key));
    if (!action || event.repeat) return;
    event.preventDefault();
    action.act();
  });
}

function typing(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return target.type !== 'range' && target.type !== 'checkbox';
  return target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
}

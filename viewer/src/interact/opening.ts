// A mesh dropped on the page, or chosen with the file button, becomes the scene.

/// Bytes that the server takes.
const LARGEST_FILE = 256 * 1024 * 1024;

/// Throws a sentence where the server does not want it; whether it can be read the server says later, by itself.
export async function open_file(file: File): Promise<void> {
  if (file.size > LARGEST_FILE) {
    throw new Error(`${file.name}: ${Math.ceil(file.size / 2 ** 20)} MB; expected at most 256 MB. Open it with pliant view.`);
  }
  const answer = await fetch(`/open?name=${encodeURIComponent(file.name)}`, { method: 'POST', body: file });
  if (!answer.ok) {
    const sentence = await answer.json().then((body: { error?: string }) => body.error).catch(() => undefined);
    throw new Error(sentence ?? `${file.name}: the server answered ${answer.status}`);
  }
}

export function listen_to_drops(overlay: HTMLElement, opened: (file: File) => void): void {
  let inside = 0; // enter and leave come for every child; the overlay goes with the last
  const show = () => overlay.classList.toggle('shown', inside > 0);
  window.addEventListener('dragenter', (event) => {
    event.preventDefault();
    inside++;
    show();
  });
  window.addEventListener('dragleave', () => {
    inside = Math.max(0, inside - 1);
    show();
  });
  window.addEventListener('dragover', (event) => event.preventDefault());
  window.addEventListener('drop', (event) => {
    event.preventDefault();
    inside = 0;
    show();
    const file = event.dataTransfer?.files[0];
    if (file) opened(file);
  });
}

// Recording what the page shows: a picture, a sequence of pictures in a zip file, or a webm film.
import type { Stage } from '../scene/stage';
import { make_zip, type ZipPart } from './zip';

export function save_blob(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/// Draws and saves in one go: a canvas keeps its picture only until the browser has shown it.
export function save_picture(stage: Stage, name: string): void {
  stage.draw();
  stage.canvas.toBlob((blob) => blob && save_blob(blob, name), 'image/png');
}

/// A film of what is shown, until stop().
export class FilmRecorder {
  private readonly recorder: MediaRecorder;
  private readonly parts: Blob[] = [];

  static supported(): boolean {
    return typeof MediaRecorder !== 'undefined' && MediaRecorder.isTypeSupported('video/webm');
  }

  constructor(stage: Stage, name: string) {
    const stream = stage.canvas.captureStream(60);
    const vp9 = 'video/webm;codecs=vp9';
    const mimeType = MediaRecorder.isTypeSupported(vp9) ? vp9 : 'video/webm';
    this.recorder = new MediaRecorder(stream, { mimeType, videoBitsPerSecond: 12_000_000 });
    this.recorder.ondataavailable = (event) => this.parts.push(event.data);
    this.recorder.onstop = () => save_blob(new Blob(this.parts, { type: 'video/webm' }), name);
    this.recorder.start();
    stage.invalidate();
  }

  stop(): void {
    this.recorder.stop();
  }
}

/// Every picture that is drawn, as PNG, until stop().
export class PictureSequence {
  private readonly pictures: Promise<Uint8Array>[] = [];
  private readonly after = () => this.take();

  constructor(
    private readonly stage: Stage,
    private readonly name: string,
    private readonly most = 1200,
  ) {
    stage.after_drawing.push(this.after);
    stage.invalidate();
  }

  get count(): number {
    return this.pictures.length;
  }

  private take(): void {
    if (this.pictures.length >= this.most) return; // some 20 seconds: a page's memory has an end
    this.pictures.push(
      new Promise((resolve) => {
        this.stage.canvas.toBlob(async (blob) => resolve(new Uint8Array(blob ? await blob.arrayBuffer() : new ArrayBuffer(0))), 'image/png');
      }),
    );
  }

  async stop(): Promise<void> {
    this.stage.after_drawing = this.stage.after_drawing.filter((call) => call !== this.after);
    const parts: ZipPart[] = (await Promise.all(this.pictures)).map((bytes, i) => ({
      name: `${this.name}_${String(i).padStart(5, '0')}.png`,
      bytes,
    }));
    save_blob(make_zip(parts), `${this.name}.zip`);
  }
}

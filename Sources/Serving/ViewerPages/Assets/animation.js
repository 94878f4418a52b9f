// An animation in the place of its first frame, which the tiles show: played, and paused on any frame.
//
// Browsers decode its file frame by frame (ImageDecoder), and the stage draws the frames as it draws tiles. Where they do
// not, as on pages of other machines without encryption, an <img> plays over the stage, and a pause shows the first frame.

const ICONS = { play: "M8 5.500v13l10-6.500z", pause: "M8 5v14M16 5v14" };
/** The shortest time of a frame that browsers accept, and the time of shorter ones, in milliseconds. */
const SHORTEST = 10;
const USUAL = 100;
/** The screen pixels per image pixel above which pixels are squares. */
const SQUARES = 8;

export class Animation {
  #stage;
  #button = document.querySelector("[data-do=play]");
  /** The animation that is shown: {url, type}. */
  #file;
  #player;
  #isPlaying = false;

  constructor(stage) { this.#stage = stage; }

  /** Whether a frame is shown in the place of the tiles. */
  get isShown() { return this.#player !== undefined; }

  /** Follows the image of the stage; without one, nothing plays. It begins to play unless motion is unwanted. */
  open(pyramid) {
    this.close();
    const type = pyramid?.info.animation;
    this.#button.hidden = !type;
    document.body.classList.toggle("animated", Boolean(type));
    if (!type) return;
    this.#file = { url: `${pyramid.service}/animation`, type };
    const isUnwanted = matchMedia("(prefers-reduced-motion: reduce)").matches || navigator.connection?.saveData;
    if (isUnwanted) this.#mark(false);
    else this.toggle();
  }

  /** Shows the tiles again. */
  close() {
    this.#player?.close();
    this.#player = this.#file = undefined;
    this.#mark(false);
  }

  /** Plays, or pauses. */
  toggle() {
    if (!this.#file) return;
    this.#mark(!this.#isPlaying);
    if (!this.#isPlaying) {
      // An <img> cannot pause.
      if (this.#player?.pause() === false) this.#player = undefined;
      return;
    }
    this.#player ??= "ImageDecoder" in globalThis
      ? new Frames(this.#stage, this.#file, () => this.#mark(false), () => this.#playWhole())
      : new Picture(this.#stage, this.#file, () => this.close());
    this.#player.play();
  }

  /** Follows the view. */
  update() { this.#player?.update?.(); }

  /** Goes on without ImageDecoder, which cannot read the file. */
  #playWhole() {
    this.#player?.close();
    this.#player = new Picture(this.#stage, this.#file, () => this.close());
    this.#player.play();
  }

  #mark(isPlaying) {
    this.#isPlaying = isPlaying;
    const name = isPlaying ? "pause" : "play";
    this.#button.querySelector("path").setAttribute("d", ICONS[name]);
    this.#button.ariaLabel = isPlaying ? "Pause" : "Play";
    this.#button.title = `${this.#button.ariaLabel} (Space)`;
  }
}

/** Decodes the frames, of which the stage draws one at a time. */
class Frames {
  #stage;
  #ended;
  #failed;
  #opening;
  #decoder;
  #tick = 0;
  #shown;
  #next = 0;
  #rounds = 0;
  #run = 0;
  #abort = new AbortController();

  constructor(stage, file, ended, failed) {
    this.#stage = stage;
    this.#ended = ended;
    this.#failed = failed;
    this.#opening = this.#open(file);
  }

  async #open({ url, type }) {
    const answer = await fetch(url, { signal: this.#abort.signal });
    if (!answer.ok) throw answer;
    this.#decoder = new ImageDecoder({ data: await answer.arrayBuffer(), type });
    await this.#decoder.tracks.ready;
    // The number of frames is known at the end only.
    await this.#decoder.completed;
    return this.#decoder.tracks.selectedTrack;
  }

  async play() {
    const run = ++this.#run;
    try {
      const { frameCount, repetitionCount } = await this.#opening;
      let decoded = this.#decode(this.#next);
      let due = performance.now();
      while (run === this.#run) {
        const frame = await decoded;
        await this.#until(due);
        if (run !== this.#run) return frame.close();
        this.#show(frame);
        const milliseconds = frame.duration / 1000;
        // What took longer than it should is not made up for.
        due = Math.max(due, performance.now() - USUAL) + (milliseconds > SHORTEST ? milliseconds : USUAL);
        this.#next = (this.#next + 1) % frameCount;
        if (this.#next === 0 && ++this.#rounds > repetitionCount) {
          this.#rounds = 0;
          this.pause();
          return this.#ended();
        }
        decoded = this.#decode(this.#next);
        decoded.catch(() => {});
      }
    } catch {
      if (run === this.#run) this.#failed();
    }
  }

  pause() {
    this.#run++;
    cancelAnimationFrame(this.#tick);
    return true;
  }

  close() {
    this.pause();
    this.#abort.abort();
    this.#opening.catch(() => {});
    this.#stage.film = undefined;
    this.#shown?.close();
    this.#decoder?.close();
  }

  async #decode(frameIndex) { return (await this.#decoder.decode({ frameIndex })).image; }

  /** Waits for a time; for ever while the page is hidden. */
  #until(time) {
    return new Promise((done) => {
      const look = (now) => {
        if (now >= time) done();
        else this.#tick = requestAnimationFrame(look);
      };
      this.#tick = requestAnimationFrame(look);
    });
  }

  #show(frame) {
    this.#stage.film = frame;
    this.#shown?.close();
    this.#shown = frame;
  }
}

/** Plays the file over the stage, which shows only what is behind transparent pixels. */
class Picture {
  #stage;
  #element = Object.assign(document.createElement("img"), { id: "animation", alt: "", draggable: false });

  constructor(stage, { url }, failed) {
    this.#stage = stage;
    this.#element.addEventListener("load", () => { stage.film = null; });
    this.#element.addEventListener("error", failed);
    this.#element.src = url;
  }

  play() {
    this.#stage.canvas.after(this.#element);
    this.update();
  }

  pause() {
    this.close();
    return false;
  }

  close() {
    this.#element.remove();
    this.#element.removeAttribute("src");
    this.#stage.film = undefined;
  }

  update() {
    const { view, pyramid } = this.#stage;
    const { width, height } = pyramid.size;
    const [origin, across, down] = [view.viewPoint(0, 0), view.viewPoint(width, 0), view.viewPoint(0, height)];
    const matrix = [
      (across.x - origin.x) / width, (across.y - origin.y) / width, (down.x - origin.x) / height,
      (down.y - origin.y) / height, origin.x, origin.y,
    ];
    Object.assign(this.#element.style, {
      width: `${width}px`, height: `${height}px`, transform: `matrix(${matrix.join()})`,
      imageRendering: view.zoomScale * devicePixelRatio >= SQUARES ? "pixelated" : "auto",
    });
  }
}

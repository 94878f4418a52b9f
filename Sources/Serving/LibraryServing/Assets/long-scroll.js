// Scrolls over any height: browsers draw nothing beyond about ten million pixels, so the track is shorter.
// Small steps move the content by the same distance; large ones, as with the scroll bar, by the same share.

const LONGEST = 4_000_000;
/** Milliseconds without scrolling after which the bar goes to where the content is. */
const SETTLED = 200;

export class LongScroll {
  #scroller;
  #track;
  #height = 0;
  /** Where the content is, and where the bar was last. */
  #top = 0;
  #last = 0;
  #settling;

  constructor(scroller, track, moved) {
    this.#scroller = scroller;
    this.#track = track;
    scroller.addEventListener("scroll", () => {
      this.#follow();
      moved();
    }, { passive: true });
  }

  get view() { return this.#scroller.clientHeight; }
  /** The content's height at the upper edge of what is seen. */
  get top() { return this.#top; }
  /** What is taken from a height of the content to have its place on the track. */
  get shift() { return this.#top - this.#last; }

  get #isLong() { return this.#height > LONGEST; }
  get #most() { return Math.max(0, this.#height - this.view); }
  get #longest() { return Math.max(1, Math.min(this.#height, LONGEST) - this.view); }

  /** Takes another height of the content, and goes to a place in it. */
  resize(height, top) {
    this.#height = height;
    this.#track.style.height = `${Math.min(height, LONGEST)}px`;
    this.go(top);
  }

  go(top) {
    this.#top = Math.min(this.#most, Math.max(0, top));
    this.#place();
  }

  /** Sets the bar to where the content is. */
  #place() {
    const share = this.#isLong ? this.#longest / this.#most : 1;
    this.#scroller.scrollTop = this.#top * share;
    this.#last = this.#scroller.scrollTop;
    if (!this.#isLong) this.#top = this.#last;
  }

  #follow() {
    const now = this.#scroller.scrollTop;
    const step = now - this.#last;
    this.#last = now;
    if (!this.#isLong) {
      this.#top = now;
      return;
    }
    if (step === 0) return;
    const isJump = Math.abs(step) > 3 * this.view;
    const top = isJump ? (now / this.#longest) * this.#most : this.#top + step;
    this.#top = Math.min(this.#most, Math.max(0, top));
    const isAtEnd = (now <= 0 && this.#top > 0) || (now >= this.#longest - 1 && this.#top < this.#most);
    if (isAtEnd && !isJump) this.#place();
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => this.#settle(), SETTLED);
  }

  #settle() {
    const before = this.shift;
    this.#place();
    if (this.shift !== before) this.#scroller.dispatchEvent(new Event("scroll"));
  }
}

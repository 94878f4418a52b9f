// Turns the view with the phone, after the user has asked for it.

/** Whether the device may have a gyroscope: its screen is touched, and the browser has the event. */
export const canFollowPhone = () => "DeviceOrientationEvent" in globalThis && matchMedia("(pointer: coarse)").matches;

const RADIAN = Math.PI / 180;

export class FollowedPhone {
  #view;
  #changed;
  #isOn = false;
  /** The yaw of the view minus that of the phone at the start. */
  #start;

  constructor(view, changed) {
    this.#view = view;
    this.#changed = changed;
  }

  /** Begins or ends; some browsers ask the user first. */
  async toggle() {
    if (this.#isOn) return this.end();
    const answer = await globalThis.DeviceOrientationEvent?.requestPermission?.().catch(() => "denied");
    if (answer === "denied") return;
    this.#isOn = true;
    this.#start = undefined;
    addEventListener("deviceorientation", this.#turn);
    this.#showState();
  }

  end() {
    if (!this.#isOn) return;
    this.#isOn = false;
    removeEventListener("deviceorientation", this.#turn);
    this.#showState();
  }

  #showState() { document.querySelector("[data-do=phone]").ariaPressed = String(this.#isOn); }

  #turn = (event) => {
    const phone = direction(event);
    if (!phone) return;
    const { yaw, fov } = this.#view.look;
    this.#start ??= yaw - phone.yaw;
    this.#view.setLook({ yaw: phone.yaw + this.#start, pitch: phone.pitch, fov });
    this.#changed();
  };
}

/**
 * Where the back of a phone points: its yaw to the right and its pitch upwards, in degrees. Source: W3C, "Device
 * Orientation and Motion", whose angles are turns about z, then x, then y, with z upwards.
 */
export function direction({ alpha, beta, gamma }) {
  if (![alpha, beta, gamma].every(Number.isFinite)) return undefined;
  const [a, b, c] = [alpha, beta, gamma].map((angle) => angle * RADIAN);
  // The third column of the rotation is the front of the screen: east, north, up.
  const east = Math.cos(a) * Math.sin(c) + Math.sin(a) * Math.sin(b) * Math.cos(c);
  const north = Math.sin(a) * Math.sin(c) - Math.cos(a) * Math.sin(b) * Math.cos(c);
  const up = Math.cos(b) * Math.cos(c);
  return { yaw: Math.atan2(-east, -north) / RADIAN, pitch: Math.asin(Math.min(1, Math.max(-1, -up))) / RADIAN };
}

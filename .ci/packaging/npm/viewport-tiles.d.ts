/** A rectangle in pixels. */
export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A level of an image, upright: one pixel of it is `factor` pixels of the image. */
export interface Level {
  readonly factor: number;
  readonly width: number;
  readonly height: number;
  readonly columns: number;
  readonly rows: number;
}

/** A tile of a level, with its place in the level. */
export interface Tile extends Rect {
  readonly column: number;
  readonly row: number;
}

/** A part of an image, as it is stored. */
export interface ImagePart extends Rect {
  /** A JPEG or PNG with what is around the rectangle, which is at `x`, `y` in it. */
  readonly bytes: Uint8Array;
  readonly type: "image/jpeg" | "image/png";
  /** The value of EXIF's Orientation that turns it upright. */
  readonly orientation: number;
}

/** A WebAssembly module: its URL, its bytes, or the compiled module. */
export type ModuleSource = string | URL | BufferSource | WebAssembly.Module;

export interface OpenOptions {
  /** The URL of the sidecar; by default that of the image with `.vpi` behind it. */
  sidecar?: string | URL;
  /** The URL of `regions.wasm`, its bytes, or the compiled module. */
  module?: ModuleSource | Promise<ModuleSource>;
  /** Returns the same of `progressive.wasm`; called for progressive JPEGs. */
  progressive?: () => ModuleSource | Promise<ModuleSource>;
}

/** A problem with a sentence for users as its message. */
export class ImageProblem extends Error {
  get isImageProblem(): boolean;
}

/** An image with a sidecar. Rectangles and tiles are upright: the orientation of the file's metadata is applied. */
export class ViewportImage {
  private constructor();
  /** Opens an image. Throws an `ImageProblem`, or the response of a server. */
  static open(url: string | URL, options?: OpenOptions): Promise<ViewportImage>;
  /** The upright size. */
  readonly size: { width: number; height: number };
  readonly tileSide: number;
  /** The levels, finest first. */
  readonly levels: Level[];
  /** How much was fetched so far. */
  readonly traffic: { requests: number; bytes: number };
  /** The tiles of a level that intersect a rectangle of the level. */
  tiles(level: Level, rect: Rect): Tile[];
  /** The upright bitmap of a tile. Browsers only. */
  tile(level: Level, column: number, row: number): Promise<ImageBitmap>;
  /** The upright bitmap of a rectangle of whole pixels of a level, by default of the image at 1:1. Browsers only. */
  region(rect: Rect, level?: Level): Promise<ImageBitmap>;
  /** An image of an upright rectangle of whole pixels at 1:1; of a TIFF, of one within a tile. */
  part(rect: Rect): Promise<ImagePart>;
}

/** A tile source for OpenSeadragon 4 or later, which is the first argument. */
export function tileSource(
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  OpenSeadragon: any, url: string, options?: OpenOptions,
): Promise<any>;

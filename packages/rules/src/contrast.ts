/**
 * Colours that can be read: what the server refuses, what pages and mails draw, and what the
 * console shows while a person types. A colour is `#rrggbb`.
 */

/** WCAG 2.2, 1.4.3: text and its background. */
export const leastContrast = 4.5;

/** What a page draws on, apart from the colours of a tenant. */
export const surfaces = { card: '#ffffff', darkCard: '#242424' } as const;

const [black, white] = ['#000000', '#ffffff'] as const;

export function isColor(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text);
}

function channelsOf(color: string): [number, number, number] {
  const at = (start: number) => Number.parseInt(color.slice(start, start + 2), 16);
  return [at(1), at(3), at(5)];
}

/** Relative luminance. */
function luminanceOf(color: string): number {
  const [red, green, blue] = channelsOf(color)
    .map((channel) => channel / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** From 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Black or white, whichever is easier to read on the colour: 4.58 at least. */
export function readableOn(color: string): string {
  return contrastOf(color, white) >= contrastOf(color, black) ? white : black;
}

function mix(color: string, other: string, share: number): string {
  const to = channelsOf(other);
  const mixed = channelsOf(color).map((channel, index) => Math.round(channel + ((to[index] ?? 0) - channel) * share));
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

/** The nearest shade of a colour that can be read on a surface: itself, if it can. */
export function shadeFor(color: string, surface: string): string {
  const towards = readableOn(surface);
  for (let step = 0; step < 40; step += 1) {
    const shade = mix(color, towards, step / 40);
    if (contrastOf(shade, surface) >= leastContrast) return shade.toLowerCase();
  }
  return towards;
}

export type Shades = {
  /** Of buttons and links on the card. */
  readonly accent: string;
  readonly hover: string;
  /** On a button. */
  readonly onAccent: string;
};

function shadesOn(primary: string, card: string): Shades {
  const accent = shadeFor(primary, card);
  const onAccent = readableOn(accent);
  return { accent, onAccent, hover: mix(accent, onAccent === white ? black : white, 0.12) };
}

export type Palette = {
  readonly light: Shades;
  readonly dark: Shades;
  /** The page behind the card in light, and what is written on it. */
  readonly page: { readonly background: string; readonly title: string; readonly text: string } | null;
};

/** All that pages draw of two colours. Nothing in it is below the least contrast. */
export function paletteOf(primary: string, background: string | null): Palette {
  return {
    light: shadesOn(primary, surfaces.card),
    dark: shadesOn(primary, surfaces.darkCard),
    page: background === null ? null : { background, title: shadeFor(primary, background), text: readableOn(background) },
  };
}

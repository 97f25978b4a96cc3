import { expect, test } from '@jest/globals';
import { contrastOf, leastContrast, paletteOf, readableOn, shadeFor, surfaces } from './contrast.ts';

test('the contrast of two colours is that of WCAG, whichever comes first', () => {
  expect(contrastOf('#000000', '#ffffff')).toBe(21);
  expect(contrastOf('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  expect(contrastOf('#ffffff', '#777777')).toBeCloseTo(4.48, 2);
  expect(contrastOf('#123456', '#123456')).toBe(1);
});

const steps = [0, 85, 128, 255];
const colors = steps.flatMap((red) =>
  steps.flatMap((green) => steps.map((blue) => `#${[red, green, blue].map((one) => one.toString(16).padStart(2, '0')).join('')}`)),
);

test('whatever colours a tenant chooses, everything that is drawn of them can be read', () => {
  const worst = colors.flatMap((primary) =>
    colors.flatMap((background) => {
      const { light, dark, page } = paletteOf(primary, background);
      return [
        contrastOf(light.accent, surfaces.card),
        contrastOf(light.accent, light.onAccent),
        contrastOf(light.hover, light.onAccent),
        contrastOf(dark.accent, surfaces.darkCard),
        contrastOf(dark.accent, dark.onAccent),
        contrastOf(dark.hover, dark.onAccent),
        contrastOf(page?.title ?? '', background),
        contrastOf(page?.text ?? '', background),
      ];
    }),
  );
  expect(worst.reduce((one, other) => Math.min(one, other))).toBeGreaterThanOrEqual(leastContrast);
});

test('a colour that can be read stays as it is', () => {
  expect(shadeFor('#3B5BDB', '#ffffff')).toBe('#3b5bdb');
  expect(paletteOf('#c2185b', null)).toMatchObject({ light: { accent: '#c2185b', onAccent: '#ffffff' }, page: null });
  expect([readableOn('#ffd43b'), readableOn('#3b5bdb')]).toStrictEqual(['#000000', '#ffffff']);
});

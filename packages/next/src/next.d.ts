/** The used parts of Next.js, which is no dependency of this repository. */

declare module 'next/headers' {
  export function cookies(): Promise<{ getAll(): { readonly name: string; readonly value: string }[] }>;
}

declare module 'next/navigation' {
  export function redirect(url: string): never;
}

declare module 'next/server' {
  export const NextResponse: { next(init: { readonly request: { readonly headers: Headers } }): Response };
}

/** The used parts of Next.js, which is no dependency of this repository. */

declare module 'next/headers.js' {
  export function cookies(): Promise<{ getAll(): { readonly name: string; readonly value: string }[] }>;
}

declare module 'next/navigation.js' {
  export function redirect(url: string): never;
}

declare module 'next/server.js' {
  export const NextResponse: { next(init: { readonly request: { readonly headers: Headers } }): Response };
}

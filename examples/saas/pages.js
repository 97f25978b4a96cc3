const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text) => String(text).replace(/[&<>"]/g, (character) => entities[character]);

/** A template whose values are escaped, but for what `html` itself made. */
export function html(parts, ...values) {
  const one = (value) => (Array.isArray(value) ? value.map(one).join('') : value instanceof Html ? value.text : escaped(value ?? ''));
  return new Html(parts.reduce((text, part, index) => text + one(values[index - 1]) + part));
}
class Html {
  constructor(text) {
    this.text = text;
  }
}

export function page(title, person, body) {
  const bar = person
    ? html`<nav><a href="/">Invoices</a> · <a href="/people">People</a> · <a href="/keys">Keys</a>
        <form action="/auth/sign-out" method="post"><button>Sign out</button></form></nav><p>${person.name}, for ${person.slug}</p>`
    : html`<nav><a href="/auth/sign-in">Sign in</a> · <a href="/sign-up">Sign up</a></nav>`;
  return html`<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>${title}</title>
    <style>body{font:1rem/1.5 system-ui;max-width:44rem;margin:3rem auto;padding:0 1rem}nav form{display:inline;float:right}td{padding:.2rem 1rem .2rem 0}</style>
    ${bar}<h1>${title}</h1>${body}</html>`.text;
}

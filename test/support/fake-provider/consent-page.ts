function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Where one says who one is. */
export function consentPage(query: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Fake provider</title>
<style>body{font:16px/1.5 system-ui;max-width:26rem;margin:4rem auto;padding:0 1rem}label{display:block;margin:.6rem 0}input[type=text],input[type=email]{width:100%;padding:.4rem;font:inherit}button{font:inherit;padding:.4rem 1rem;margin-right:.5rem}</style>
</head><body>
<h1>Fake provider</h1>
<p>This stands in for a code-hosting provider on your machine. Be whoever you like.</p>
<form method="post" action="/authorize${escapeHtml(query)}">
<label>Name <input type="text" name="name" value="Ada Lovelace"></label>
<label>Email <input type="email" name="email" value="ada@example.com"></label>
<label><input type="checkbox" name="verified" checked> the provider has verified this address</label>
<button>Sign in</button><button name="deny" value="1">Refuse</button>
</form></body></html>
`;
}

import { readFileSync } from 'node:fs';

const sidebar = JSON.parse(readFileSync(new URL('./sidebar.json', import.meta.url), 'utf8'));

/** As GitHub names headings, so that links of the repository lead to the same place. */
function slugify(text) {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

export default {
  title: 'Tessera',
  description: 'Identity and access management for products that have many tenants',
  lang: 'en',
  srcDir: '.staged',
  outDir: 'dist',
  cleanUrls: true,
  // The README leads to the installation on the reader's machine.
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    // The pages are Markdown alone: `<customer>` and `{{name}}` are text.
    html: false,
    linkify: false,
    attrs: { disable: true },
    anchor: { slugify },
    config: (markdown) => {
      const { rules } = markdown.renderer;
      for (const name of ['text', 'code_inline']) {
        const render = rules[name];
        rules[name] = (...given) => render.apply(rules, given).replaceAll('{{', '&#123;&#123;');
      }
    },
  },
  themeConfig: {
    nav: [
      { text: 'Guide', link: '/guide' },
      { text: 'Guides', link: '/guides/' },
      { text: 'API', link: '/operations' },
      { text: 'Changes', link: '/changelog' },
    ],
    sidebar,
    outline: [2, 3],
    // An index in the browser: no service, and no request to another host.
    search: { provider: 'local' },
  },
};

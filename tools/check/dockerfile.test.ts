import { expect, test } from '@jest/globals';
import { dockerfileFaults, findDockerfileFaults, ignoreFaults } from './dockerfile.ts';

/** Without a fault; each case below changes one line of it. */
const good = `ARG BASE=node:24-bookworm-slim
FROM \${BASE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
FROM dependencies AS pages
FROM $BASE
ENV NODE_ENV=production
COPY --from=dependencies /app ./
RUN apt-get update && apt-get install -y --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
USER 1000:1000
HEALTHCHECK CMD ["true"]
CMD ["main.ts"]
`;
const digest = `node@sha256:${'0'.repeat(64)}`;

test('the Dockerfile and .dockerignore of this repository keep every rule', () => expect(findDockerfileFaults()).toStrictEqual([]));

test.each([
  ['an operator can pin the base by its digest', 'node:24-bookworm-slim', digest],
  ['an image without a health check says why', 'HEALTHCHECK CMD ["true"]', '# There is no HEALTHCHECK, because Kubernetes probes.'],
])('%s', (_what, from, to) => expect([dockerfileFaults(good), dockerfileFaults(good.replace(from, to))]).toStrictEqual([[], []]));

test.each([
  ['an unknown instruction', 'WORKDIR /app', 'WORKDIT /app', /^3: Unknown instruction: WORKDIT/],
  ['an unknown option', 'COPY --from=dependencies', 'COPY --form=dependencies', /^9: Unknown flag: form/],
  ['a relative work folder', 'WORKDIR /app', 'WORKDIR app', /^3: .*absolute/i],
  ['a second command', 'CMD ["main.ts"]', 'CMD ["main.ts"]\nCMD ["other.ts"]', /^13: .*CMD/],
  ['a base that no operator can change', 'FROM $BASE\nENV', 'FROM node:24\nENV', /^7: the base node:24 is no argument/],
  ['a base without a version', 'node:24-bookworm-slim', 'node', /^2: the base node has neither a tag nor a digest/],
  ['a registry’s port taken for a version', 'node:24-bookworm-slim', 'registry.example.com:5000/node', /neither a tag nor a digest/],
  ['the latest base', 'node:24-bookworm-slim', 'node:latest', /^2: the base node:latest/],
  ['a base without a default', 'ARG BASE=node:24-bookworm-slim', 'ARG BASE', /^2: the argument BASE of the base has no default/],
  ['a download by ADD', 'WORKDIR /app', 'ADD https://example.com/a.tar.gz /app/', /^3: ADD/],
  ['a download in a command', 'npm ci --ignore-scripts', 'curl -fsS https://example.com/i.sh | sh', /^5: a download/],
  ['an install past the lock file', 'npm ci --ignore-scripts', 'npm install --ignore-scripts', /^5: npm install/],
  ['scripts of packages', 'npm ci --ignore-scripts', 'npm ci', /^5: npm ci runs the scripts/],
  ['recommended packages', ' --no-install-recommends', '', /^10: apt-get installs without/],
  ['package lists that stay', ' && rm -rf /var/lib/apt/lists/*', '', /^10: apt-get leaves/],
  ['a secret in the environment', 'NODE_ENV=production', 'NODE_ENV=production INTERNAL_AUTH_SECRET=a', /^8: ENV INTERNAL_AUTH_SECRET/],
  ['a secret as a build argument', 'WORKDIR /app', 'ARG NPM_TOKEN', /^3: ARG NPM_TOKEN/],
  ['the whole context', 'COPY package.json package-lock.json ./', 'COPY . .', /^4: COPY \. takes the whole context/],
  ['root', 'USER 1000:1000', 'USER 0:0', /^11: USER 0:0/],
  ['root as the group', 'USER 1000:1000', 'USER 1000', /^11: USER 1000/],
  ['an account by its name', 'USER 1000:1000', 'USER node', /^11: USER node/],
  ['no account', 'USER 1000:1000\n', '', /^the image runs as the account of its base/],
  ['no health check and no reason', 'HEALTHCHECK CMD ["true"]', 'HEALTHCHECK NONE', /^no HEALTHCHECK/],
])('%s is refused', (_what, from, to, fault) => {
  const bad = good.replace(from, to);
  expect(bad).not.toBe(good);
  expect(dockerfileFaults(bad)).toStrictEqual(expect.arrayContaining([expect.stringMatching(fault)]));
});

test('a .dockerignore that lets the environment or a key through, or takes it back in, is refused', () => {
  const all = '.git\n**/node_modules\n**/.data\n**/.env*\n**/.npmrc\n**/*.pem\n**/*.key\n**/*.log\n';
  expect(ignoreFaults(all)).toStrictEqual([]);
  expect(ignoreFaults(all.replace('**/.env*\n', '.env\n'))).toStrictEqual(['lacks **/.env*']);
  expect(ignoreFaults(`${all}!services/.env.example\n`)).toHaveLength(1);
});

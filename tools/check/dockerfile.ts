/** The rules for deploy/Dockerfile, and for what .dockerignore keeps from a build. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Add, Arg, Copy, type Dockerfile, DockerfileParser, Env, From, type Instruction, Run } from 'dockerfile-ast';
import { ValidationSeverity, validate } from 'dockerfile-utils';
import { repositoryFolder } from '../stack/repository.ts';

/** Faults of the Dockerfile in this repository. */
export function findDockerfileFaults(): readonly string[] {
  const read = (path: string) => readFileSync(join(repositoryFolder, path), 'utf8');
  return [
    ...dockerfileFaults(read('deploy/Dockerfile')).map((fault) => `deploy/Dockerfile:${fault}`),
    ...ignoreFaults(read('.dockerignore')).map((fault) => `.dockerignore: ${fault}`),
  ];
}

const severity = ValidationSeverity.ERROR;
const settings = {
  deprecatedMaintainer: severity,
  directiveCasing: severity,
  emptyContinuationLine: severity,
  instructionCasing: severity,
  instructionCmdMultiple: severity,
  instructionEntrypointMultiple: severity,
  instructionHealthcheckMultiple: severity,
  instructionJSONInSingleQuotes: severity,
  instructionWorkdirRelative: severity,
};

/** What is wrong in the text of a Dockerfile, each with its line. */
export function dockerfileFaults(text: string): readonly string[] {
  const invalid = validate(text, settings).map(({ range, message }) => `${range.start.line + 1}: ${message}`);
  const dockerfile = DockerfileParser.parse(text);
  const instructions = dockerfile.getInstructions();
  const faults = instructions.flatMap((instruction) =>
    rules.flatMap((rule) => [...rule(instruction, dockerfile)].map((fault) => `${lineOf(instruction)}: ${fault}`)),
  );
  return [...new Set([...invalid, ...faults, ...wholeFaults(dockerfile)])];
}

function lineOf(instruction: Instruction): number {
  return instruction.getRange().start.line + 1;
}

type Rule = (instruction: Instruction, dockerfile: Dockerfile) => Iterable<string>;

const rules: readonly Rule[] = [
  function* baseFaults(instruction, dockerfile) {
    if (!(instruction instanceof From)) return;
    const image = instruction.getImage() ?? '';
    const before = dockerfile.getInstructions().slice(0, dockerfile.getInstructions().indexOf(instruction));
    if (before.some((other) => other instanceof From && other.getBuildStage() === image)) return;
    const [, name] = /^\$\{?(\w+)\}?$/.exec(image) ?? [];
    if (name === undefined) yield `the base ${image} is no argument, so an operator can't name another`;
    const base = name === undefined ? image : initialValue(dockerfile, name);
    if (base === undefined) yield `the argument ${name} of the base has no default before the first FROM`;
    else if (!/(?:@sha256:[0-9a-f]{64}|:[\w.-]+)$/.test(base)) yield `the base ${base} has neither a tag nor a digest`;
    else if (base.endsWith(':latest')) yield `the base ${base} is another one tomorrow: name its version`;
  },
  function* sourceFaults(instruction) {
    if (instruction instanceof Add) yield 'ADD unpacks and downloads: use COPY';
    if (!(instruction instanceof Copy) || instruction.getFromFlag() !== null) return;
    const sources = instruction.getArguments().slice(0, -1);
    for (const source of sources.map((argument) => argument.getValue()))
      if (/^(?:\.?\/?|\.\/\.|\/?\*+(?:\/.*)?)$/.test(source)) yield `COPY ${source} takes the whole context: name what the image needs`;
  },
  function* commandFaults(instruction) {
    const command = instruction instanceof Run ? (instruction.getArgumentsContent() ?? '') : '';
    if (/\bapt(?:-get)?\b.*\binstall\b/.test(command)) {
      if (!command.includes('--no-install-recommends')) yield 'apt-get installs without --no-install-recommends';
      if (!/rm -rf? [^&;|]*\/var\/lib\/apt\/lists/.test(command)) yield 'apt-get leaves /var/lib/apt/lists in the layer';
    }
    if (/\bsudo\b/.test(command)) yield 'sudo: the build is root already, and the image must not have it';
    if (/\b(?:curl|wget)\b/.test(command)) yield 'a download that no lock file pins';
    if (/\bnpm (?:i|install|add)\b/.test(command)) yield 'npm install does not keep to the lock file: use npm ci';
    if (/\bnpm ci\b/.test(command) && !command.includes('--ignore-scripts')) yield 'npm ci runs the scripts of packages: --ignore-scripts';
  },
  function* secretFaults(instruction) {
    const property = instruction instanceof Arg ? instruction.getProperty() : null;
    const properties = instruction instanceof Env ? instruction.getProperties() : property === null ? [] : [property];
    for (const name of properties.map((each) => each.getName()))
      if (/SECRET|PASSWORD|PASSWD|PASSPHRASE|TOKEN|CREDENTIAL|PRIVATE|API_?KEY|(?:^|_)KEY$/i.test(name))
        yield `${instruction.getKeyword()} ${name} stays readable in the image's history`;
  },
];

function initialValue(dockerfile: Dockerfile, name: string): string | undefined {
  const properties = dockerfile.getInitialARGs().flatMap((arg) => arg.getProperty() ?? []);
  return properties.find((property) => property.getName() === name)?.getValue() || undefined;
}

/** Of the last stage, which is the image. */
function wholeFaults(dockerfile: Dockerfile): readonly string[] {
  const instructions = dockerfile.getInstructions();
  const stage = instructions.slice(instructions.findLastIndex((each) => each instanceof From));
  const last = (keyword: string) => stage.findLast((instruction) => instruction.getKeyword() === keyword);
  const user = last('USER');
  const account = user?.getArgumentsContent() ?? '';
  const health = last('HEALTHCHECK');
  const isExplained = dockerfile.getComments().some((comment) => /no HEALTHCHECK, because \S/.test(comment.getContent() ?? ''));
  const faults: string[] = [];
  if (user === undefined) faults.push('the image runs as the account of its base: name one with USER');
  else if (!/^[1-9]\d*:[1-9]\d*$/.test(account))
    faults.push(`${lineOf(user)}: USER ${account} is root or a name: Kubernetes takes only numbers for proof that it is not root`);
  if ((health === undefined || health.getArgumentsContent() === 'NONE') && !isExplained)
    faults.push('no HEALTHCHECK, and no comment with "no HEALTHCHECK, because …"');
  return faults;
}

/** What lies in a developer's folder, in any depth, and must not reach an image. */
const kept = ['.git', '**/node_modules', '**/.data', '**/.env*', '**/.npmrc', '**/*.pem', '**/*.key', '**/*.log'];

export function ignoreFaults(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim());
  return [
    ...kept.filter((pattern) => !lines.includes(pattern)).map((pattern) => `lacks ${pattern}`),
    ...lines.filter((line) => line.startsWith('!')).map((line) => `${line} takes back in what another line keeps out`),
  ];
}

/** What a world of tenants takes, and how many cells hold it. Pure: numbers in, numbers out. */

export const processes = ['gateway', 'identity', 'tenancy', 'rbac', 'keys', 'postgres'] as const;
export type Process = (typeof processes)[number];
export type Request = 'register' | 'login' | 'refresh' | 'me' | 'decision' | 'list' | 'exchange';

/** Milliseconds of CPU that one request takes of each process. */
export type Figures = Readonly<Record<Request, Readonly<Record<Process, number>>>>;

/** Bytes in Postgres with all indexes, of one thing and of what is written beside it. */
export type Sizes = {
  /** Left out while they are estimated from their columns. */
  readonly measuredAt?: string;
  readonly postgres: string;
  readonly person: number;
  /** Of one person in one organization, with one role. */
  readonly membership: number;
  readonly organization: number;
  readonly project: number;
  /** An organization that uses the project of another one. */
  readonly customer: number;
  readonly apiKey: number;
  readonly session: number;
  readonly auditRow: number;
};

export type World = {
  readonly people: number;
  readonly organizations: number;
  readonly projects: number;
  readonly customers: number;
  readonly apiKeys: number;
};

/** How often people and machines ask. These are assumptions: replace them by measured values. */
export type Habits = {
  /** Of all people, on one day. */
  readonly activeShare: number;
  /** The busiest minute beside the mean of the day. */
  readonly peak: number;
  readonly joinsADayShare: number;
  readonly perActivePerson: Readonly<Record<'login' | 'refresh' | 'me' | 'decision' | 'list', number>>;
  readonly exchangesPerKey: number;
  readonly auditRowsPerActivePerson: number;
  readonly auditDays: number;
  readonly sessionDays: number;
  /** Of all bytes: indexes and rows that are read all day. */
  readonly hotShare: number;
};

export type Limits = {
  /** Of the primary, so that a peak leaves half of the machine. */
  readonly primaryCores: number;
  /** Of the primary, for what is read all day. */
  readonly memoryGigabytes: number;
  readonly restoreHours: number;
  readonly restoreBytesASecond: number;
  /** How many one lost cell may shut out. */
  readonly people: number;
  /** How far cores are loaded at the peak. */
  readonly load: number;
};

/** A month, in euro. */
export type Prices = {
  /** With four gigabytes of memory. */
  readonly core: number;
  readonly memoryGigabyte: number;
  readonly gigabyte: number;
  /** Of a backup. */
  readonly keptGigabyte: number;
  readonly smallMachine: number;
};

export const habits: Habits = {
  activeShare: 0.2,
  peak: 4,
  joinsADayShare: 0.0005,
  perActivePerson: { login: 0.2, refresh: 8, me: 10, decision: 100, list: 4 },
  exchangesPerKey: 96,
  auditRowsPerActivePerson: 0.5,
  auditDays: 400,
  sessionDays: 60,
  hotShare: 0.15,
};

export const limits: Limits = {
  primaryCores: 16,
  memoryGigabytes: 256,
  restoreHours: 4,
  restoreBytesASecond: 200e6,
  people: 1e7,
  load: 0.5,
};

export const prices: Prices = { core: 15, memoryGigabyte: 3, gigabyte: 0.1, keptGigabyte: 0.02, smallMachine: 20 };

const secondsADay = 86_400;
const databases = 3;
/** Free room for WAL, dead rows and growth until it is noticed. */
const roomFactor = 1.5;
const fullBackups = 2;
const memoryOfCore = 4;
/** NATS, Redis and etcd: three small machines each; two for HAProxy. */
const smallMachines = 11;
const fewestReplicas = 2;
const services: readonly Process[] = processes.filter((process) => process !== 'postgres');

export function ratesOf(world: World, how: Habits): Readonly<Record<Request, number>> {
  const active = world.people * how.activeShare;
  const ofPeople = (request: keyof Habits['perActivePerson']) => (active * how.perActivePerson[request]) / secondsADay;
  return {
    register: (world.people * how.joinsADayShare) / secondsADay,
    login: ofPeople('login'),
    refresh: ofPeople('refresh'),
    me: ofPeople('me'),
    decision: ofPeople('decision'),
    list: ofPeople('list'),
    exchange: (world.apiKeys * how.exchangesPerKey) / secondsADay,
  };
}

export function bytesOf(world: World, sizes: Sizes, how: Habits): number {
  const active = world.people * how.activeShare;
  const audit = active * how.auditRowsPerActivePerson * how.auditDays * sizes.auditRow;
  const sessions = active * how.perActivePerson.login * how.sessionDays * sizes.session;
  const things =
    world.people * (sizes.person + sizes.membership) + world.organizations * sizes.organization + world.projects * sizes.project;
  return things + world.customers * sizes.customer + world.apiKeys * sizes.apiKey + audit + sessions;
}

/** Cores that work at the peak, of each process. */
export function coresOf(rates: Readonly<Record<Request, number>>, figures: Figures, peak: number): Readonly<Record<Process, number>> {
  const requests = Object.keys(rates) as Request[];
  const cores = (process: Process) => requests.reduce((sum, request) => sum + rates[request] * figures[request][process], 0);
  return Object.fromEntries(processes.map((process) => [process, (cores(process) * peak) / 1_000])) as Record<Process, number>;
}

export type Cell = {
  readonly cells: number;
  readonly people: number;
  readonly bytes: number;
  readonly hotGigabytes: number;
  /** At the peak. */
  readonly cores: Readonly<Record<Process, number>>;
  readonly restoreHours: number;
  readonly euro: number;
};

export type Given = {
  readonly world: World;
  readonly sizes: Sizes;
  readonly figures: Figures;
  readonly how?: Habits;
  readonly most?: Limits;
  readonly costs?: Prices;
};

/** One of so many cells that share the world evenly. */
export function cellOf({ world, sizes, figures, how = habits, most = limits, costs = prices }: Given, cells: number): Cell {
  const bytes = bytesOf(world, sizes, how) / cells;
  const all = coresOf(ratesOf(world, how), figures, how.peak);
  const cores = Object.fromEntries(processes.map((process) => [process, all[process] / cells])) as Record<Process, number>;
  const machines = (process: Process) => Math.max(fewestReplicas, Math.ceil(cores[process] / most.load));
  const gigabytes = bytes / 1e9;
  const hotGigabytes = gigabytes * how.hotShare;
  const coresOfDatabase = machines('postgres');
  const moreMemory = Math.max(0, hotGigabytes - coresOfDatabase * memoryOfCore);
  const oneDatabase = coresOfDatabase * costs.core + moreMemory * costs.memoryGigabyte + gigabytes * roomFactor * costs.gigabyte;
  const served = services.reduce((sum, process) => sum + machines(process) * costs.core, 0);
  const beside = fullBackups * gigabytes * costs.keptGigabyte + smallMachines * costs.smallMachine;
  const restoreHours = bytes / most.restoreBytesASecond / 3_600;
  return { cells, people: world.people / cells, bytes, hotGigabytes, cores, restoreHours, euro: databases * oneDatabase + served + beside };
}

/** Which limits a cell breaks: none, and it may be so large. */
export function brokenBy(cell: Cell, most: Limits = limits): readonly (keyof Limits)[] {
  const broken: (keyof Limits)[] = [];
  if (cell.cores.postgres > most.primaryCores) broken.push('primaryCores');
  if (cell.hotGigabytes > most.memoryGigabytes) broken.push('memoryGigabytes');
  if (cell.restoreHours > most.restoreHours) broken.push('restoreHours');
  if (cell.people > most.people) broken.push('people');
  return broken;
}

/** The fewest cells that break no limit. */
export function fewestCells(given: Given): number {
  let cells = 1;
  while (brokenBy(cellOf(given, cells), given.most).length > 0) cells += 1;
  return cells;
}

/** The same proportions for another number of people. */
export function scaled(world: World, people: number): World {
  const by = (count: number) => Math.round((count * people) / world.people);
  return {
    people,
    organizations: by(world.organizations),
    projects: by(world.projects),
    customers: by(world.customers),
    apiKeys: by(world.apiKeys),
  };
}

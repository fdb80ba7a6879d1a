import { collectGarbage } from './collect-garbage.ts'

/** One of those who are compared in a contest. */
export interface Contestant {
  readonly name: string
  readonly ours?: boolean
  /** Prepares and gives the operation that is timed. May throw: then the contestant cannot do it. */
  readonly prepare: () => () => unknown
}

/** One operation that ours and the peers do in turn. */
export interface Contest {
  readonly name: string
  /** Whether an answer is right. Nobody is timed whose answer is not. */
  readonly isRight: (answer: unknown) => boolean
  readonly contestants: readonly Contestant[]
}

/** What became of one contestant. */
export type Standing =
  | {
      readonly name: string
      readonly ours: boolean
      readonly right: true
      /** Median over the rounds, in operations a second. */
      readonly perSecond: number
      /** Median over the rounds of (our time / its time): below 1 where it is slower than ours. */
      readonly relative: number
      /** The rounds' quartiles of the same. */
      readonly spread: readonly [number, number]
    }
  | { readonly name: string; readonly ours: boolean; readonly right: false; readonly why: string }

export interface Comparison {
  readonly name: string
  readonly standings: readonly Standing[]
}

export interface CompareOptions {
  /** Rounds in which everybody runs once; 41 unless given. */
  readonly rounds?: number
  /** How long one contestant runs in a round, in milliseconds of processor time; 6 unless given. */
  readonly sliceMs?: number
}

let sink = 0
/** Looks at an answer, so that it must have been made; a text is made whole, as sending it would. */
function consume(answer: unknown): void {
  if (typeof answer === 'string') sink += answer.length > 0 ? answer.charCodeAt(answer.length - 1) : 1
  else sink += answer === undefined ? 1 : 2
}

/** What was looked at; printed, so that no compiler may drop the work. */
export const consumed = (): number => sink

/** Milliseconds of processor time for `count` operations: what other programs take from the machine is left out. */
function time(operation: () => unknown, count: number): number {
  const started = process.cpuUsage()
  for (let done = 0; done < count; done += 1) consume(operation())
  const { user, system } = process.cpuUsage(started)
  return (user + system) / 1000
}

/** Median, or another quantile, of numbers. */
export function quantile(numbers: readonly number[], share = 0.5): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  const place = (sorted.length - 1) * share
  const low = sorted[Math.floor(place)] ?? Number.NaN
  return low + ((sorted[Math.ceil(place)] ?? low) - low) * (place - Math.floor(place))
}

interface Runner {
  readonly name: string
  readonly ours: boolean
  readonly operation: () => unknown
  readonly count: number
  readonly times: number[]
}

/** Slices that an operation runs for before it is timed: what is compiled late would else be given too few operations. */
const warmSlices = 10

/** How many operations fill a slice, found after warming up. */
function calibrate(operation: () => unknown, sliceMs: number): number {
  let count = 1
  for (let total = 0; total < warmSlices * sliceMs; ) {
    const spent = time(operation, count)
    total += spent
    count = Math.max(1, Math.round(count * Math.min(10, sliceMs / Math.max(spent, 0.001))))
  }
  return count
}

/**
 * Checks every contestant's answer, then times those who are right in the same run: in each round everybody runs for
 * the same time, beginning with another one each round, so that a disturbance of the machine hits all alike. Ratios are
 * taken within a round.
 */
export function compare(contest: Contest, { rounds = 41, sliceMs = 6 }: CompareOptions = {}): Comparison {
  const wrong: Standing[] = []
  const runners: Runner[] = []
  for (const { name, ours = false, prepare } of contest.contestants) {
    try {
      const operation = prepare()
      const answer = operation()
      if (!contest.isRight(answer)) wrong.push({ name, ours, right: false, why: 'wrong answer' })
      else runners.push({ name, ours, operation, count: calibrate(operation, sliceMs), times: [] })
    } catch (error) {
      wrong.push({ name, ours, right: false, why: (error as Error).message?.split('\n')[0] ?? String(error) })
    }
  }
  // What preparing has left would be collected while somebody is timed.
  collectGarbage()
  for (let round = 0; round < rounds; round += 1)
    for (let turn = 0; turn < runners.length; turn += 1) {
      const { operation, count, times } = runners[(round + turn) % runners.length]!
      times.push(time(operation, count) / count)
    }
  const base = runners.find(({ ours }) => ours)
  const right = runners.map(({ name, ours, operation, times }): Standing => {
    if (!contest.isRight(operation()))
      return { name, ours, right: false, why: 'wrong answer after many runs' }
    const relative = times.map((each, round) => (base?.times[round] ?? Number.NaN) / each)
    return {
      name,
      ours,
      right: true,
      perSecond: 1000 / quantile(times),
      relative: quantile(relative),
      spread: [quantile(relative, 0.25), quantile(relative, 0.75)],
    }
  })
  return { name: contest.name, standings: [...right, ...wrong] }
}

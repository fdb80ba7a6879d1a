import { arch, availableParallelism, cpus, platform, totalmem } from 'node:os'

/** What the numbers of a section were measured on, in one line. */
export function machineFacts(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor'
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`
  return `Node ${process.version}, ${platform()} ${arch()}, ${availableParallelism()} cores (${model}), ${memory}`
}

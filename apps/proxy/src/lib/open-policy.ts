import { type Policy, parsePolicy } from '@truename/call-gate'
import { emptyLock, type Key, type Lock } from '@truename/tool-registry'
import { readTextFile } from './read-text-file.ts'
import type { Workspace } from './workspace.ts'

/** Every pair a lock holds. */
export const keysOf = (lock: Lock): readonly Key[] =>
  lock.servers.flatMap(({ id, tools, prompts, templates }) => [
    ...[...tools.keys()].map((name): Key => ({ server: id, kind: 'tool', name })),
    ...[...prompts.keys()].map((name): Key => ({ server: id, kind: 'prompt', name })),
    ...[...templates.keys()].map((name): Key => ({ server: id, kind: 'resource', name })),
  ])

/**
 * The policy of a configuration, read with the pairs of the lock, so that a rule without a server is answered with
 * the pairs it could mean.
 *
 * @throws PolicyError with every problem and its place in the file; none of the policy is in force then
 */
export function openPolicy({ settings, lock, config }: Workspace): Policy {
  const keys = keysOf(lock ?? emptyLock)
  const { policy } = settings
  if ('text' in policy) return parsePolicy(policy.text, { keys, source: policy.file })
  if (config.truename.policy === undefined) return parsePolicy([], { keys })
  return parsePolicy(readTextFile(config.file, 'Correct it.'), {
    keys,
    source: config.file,
    at: ['truename', 'policy'],
  })
}

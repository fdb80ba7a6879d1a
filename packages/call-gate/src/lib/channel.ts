import type { Answer, Binding, Channel, Scope } from './approval.ts'

/** Why an answer is not one: what its channel may not say. */
export interface ChannelRefusal {
  readonly code: 'channel-may-not-grant' | 'scope-too-wide' | 'profile-not-marked'
  readonly message: string
}

const people: readonly Channel[] = ['terminal', 'console']

/** Whether a person answers here: only a person widens what is allowed. */
export const isPerson = (channel: Channel): boolean => people.includes(channel)

/** The scopes that may be granted through a channel; denying is always possible where answering is. */
export function scopesOf(channel: Channel): readonly Scope[] {
  if (isPerson(channel)) return ['call', 'arguments', 'pair', 'always']
  return channel === 'elicitation' ? ['call'] : []
}

/**
 * Who may approve what. A person at a terminal or in the console: everything. A client, by elicitation: one call,
 * and only where the operator marked its profile. A changed file: nothing; it may deny.
 *
 * @param marked the profiles whose clients may answer for a person
 * @returns `undefined` where the answer stands
 */
export function checkAnswer(
  answer: Pick<Answer, 'verdict' | 'scope' | 'channel'>,
  binding: Pick<Binding, 'profile'>,
  marked: readonly string[],
): ChannelRefusal | undefined {
  const { channel, scope, verdict } = answer
  if (isPerson(channel)) return undefined
  if (channel === 'elicitation') {
    if (!marked.includes(binding.profile)) {
      return {
        code: 'profile-not-marked',
        message: `clients of the profile ${JSON.stringify(binding.profile)} may not answer for a person; the policy lists those that may under "elicitation"`,
      }
    }
    if (scope !== 'call') {
      return { code: 'scope-too-wide', message: `an elicitation answers for one call, not for "${scope}"` }
    }
    return undefined
  }
  if (channel === 'file' && verdict === 'deny') return undefined
  return {
    code: 'channel-may-not-grant',
    message: `a change of a file denies, it never allows; a person has to`,
  }
}

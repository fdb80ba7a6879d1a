import { checkPolicy } from '@truename/call-gate'
import { emptyLock } from '@truename/tool-registry'
import { keysOf, openPolicy } from './open-policy.ts'
import type { Workspace } from './workspace.ts'

/** `truename policy check`. Returns the exit code: 1 where something deserves a look. */
export function policyCheckCommand(workspace: Workspace, json: boolean): number {
  const findings = checkPolicy(openPolicy(workspace), keysOf(workspace.lock ?? emptyLock))
  if (json) console.log(JSON.stringify(findings, null, 2))
  else if (findings.length === 0) console.log('Every rule matches something, and every pair has a rule.')
  else for (const { severity, code, message } of findings) console.log(`${severity} ${code}: ${message}`)
  return findings.some(({ severity }) => severity !== 'info') ? 1 : 0
}

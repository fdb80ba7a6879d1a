import { userInfo } from 'node:os'
import { isCancel, select } from '@clack/prompts'
import {
  type ApprovalRequest,
  type Approvals,
  describeRequest,
  type Origin,
  scopesOf,
} from '@truename/call-gate'
import { lockedDefinition, sanitizeForDisplay } from '@truename/tool-registry'
import { CommandError } from './command-error.ts'
import { openApprovals } from './open-approvals.ts'
import { openLog } from './open-log.ts'
import { entryOf, type Workspace } from './workspace.ts'

/** `truename approvals`: what waits for a person, and what is in force. Returns the exit code. */
export async function approvalsCommand(workspace: Workspace, json: boolean): Promise<number> {
  const approvals = openApprovals(workspace)
  const [pending, grants] = await Promise.all([approvals.pending(), approvals.grants()])
  await approvals.close()
  if (json) {
    console.log(JSON.stringify({ pending, grants }, null, 2))
    return 0
  }
  if (pending.length + grants.length === 0) console.log('Nothing waits, and no answer is in force.')
  for (const { id, binding, expiresAt } of pending) {
    console.log(`waits    ${id}  ${pair(binding)}  until ${new Date(expiresAt).toISOString()}`)
  }
  for (const { id, binding, answer } of grants) {
    console.log(
      `${answer.verdict.padEnd(7)}  ${id}  ${pair(binding)}  ${answer.scope}, by ${answer.who} (${answer.channel})`,
    )
  }
  return 0
}

const pair = ({ key }: ApprovalRequest['binding']): string => sanitizeForDisplay(`${key.server}/${key.name}`)

/** `truename approvals answer ID`: shows a waiting call whole and asks, at a terminal alone. Returns the exit code. */
export async function answerCommand(workspace: Workspace, id: string): Promise<number> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new CommandError('bad-argument', {
      what: 'a person answers, and there is no terminal',
      where: 'truename approvals answer',
      remedy: 'Run it at a terminal.',
    })
  }
  const approvals = openApprovals(workspace)
  try {
    const request = await approvals.get(id)
    if (!request) {
      throw new CommandError('bad-argument', {
        what: `no call waits under ${JSON.stringify(id)}`,
        where: workspace.settings.approvalsFile,
        remedy: 'truename approvals lists those that do.',
      })
    }
    console.log(describe(workspace, request))
    const chosen = await select({
      message: 'Answer',
      options: [
        { value: 'deny:call', label: 'Refuse this call' },
        ...scopesOf('terminal').map((scope) => ({
          value: `allow:${scope}`,
          label: scopeLabels[scope],
        })),
      ],
    })
    if (isCancel(chosen)) return 1
    return await answer(workspace, approvals, request, chosen)
  } finally {
    await approvals.close()
  }
}

const scopeLabels = {
  call: 'Allow this call, once',
  arguments: 'Allow these arguments while the definition stays the same',
  pair: 'Allow any arguments while the definition stays the same',
  always: 'Allow any arguments, for every definition that is approved',
} as const

function describe(workspace: Workspace, request: ApprovalRequest): string {
  const { key } = request.binding
  const server = workspace.config.servers.find(({ id }) => id === key.server)
  const entry = entryOf(workspace, key.server)
  const definition = entry && lockedDefinition(entry, key)?.definition
  const origin: Origin | undefined =
    server &&
    (server.kind === 'stdio'
      ? { command: server.command, args: server.args, cwd: server.cwd }
      : { url: server.url })
  const { title, description, annotations } = (definition ?? {}) as Record<string, unknown>
  return describeRequest(request, {
    origin,
    claims: {
      ...(typeof title === 'string' && { title }),
      ...(typeof description === 'string' && { description }),
      ...(typeof annotations === 'object' && annotations !== null && { annotations }),
    },
  }).text
}

async function answer(
  workspace: Workspace,
  approvals: Approvals,
  request: ApprovalRequest,
  chosen: string,
): Promise<number> {
  const [verdict, scope] = chosen.split(':') as ['allow' | 'deny', keyof typeof scopeLabels]
  const who = userInfo().username
  const result = await approvals.answer(request.id, { verdict, scope, channel: 'terminal', who })
  if (!result.ok) {
    console.error(result.message)
    return 1
  }
  const log = await openLog(workspace, (message) => console.error(message))
  await log?.append({
    type: 'approval',
    key: request.binding.key,
    verdict,
    approval: { by: who, channel: 'terminal', scope, id: result.grant.id },
    ...(request.binding.pin !== undefined && { pin: { state: 'approved', digest: request.binding.pin } }),
  })
  await log?.close()
  console.log(verdict === 'allow' ? 'Allowed. The call goes through when it is made again.' : 'Refused.')
  return 0
}

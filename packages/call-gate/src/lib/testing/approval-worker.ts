// One of several processes that share a file of approvals: answers every question there is and takes what it can.
import { writeSync } from 'node:fs'
import { fileApprovals } from '../../file.ts'

const [file = '', who = '', mode = 'once'] = process.argv.slice(2)
const approvals = fileApprovals(file)
const say = (line: string): void => void writeSync(1, `${line}\n`)

do {
  for (const request of await approvals.pending()) {
    const answer = { verdict: 'allow', scope: 'call', channel: 'console', who } as const
    const result = await approvals.answer(request.id, answer)
    if (result.ok) say(`answered ${request.id}`)
    if (await approvals.take(request.binding)) say(`took ${request.binding.args}`)
  }
  if (mode === 'forever') {
    const args = `${who}-${Date.now()}-${Math.random()}`
    const key = { server: 'kb', kind: 'tool', name: 'search' } as const
    const { id } = await approvals.ask({
      binding: { key, args, profile: 'p' },
      args: {},
      pin: { state: 'live' },
      rule: '',
      reason: '',
    })
    say(`asked ${id}`)
  }
} while (mode === 'forever')

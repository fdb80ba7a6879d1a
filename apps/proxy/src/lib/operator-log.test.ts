import { describe, expect, it } from 'vitest'
import { createOperatorLog } from './operator-log.ts'

describe('what an operator is told', () => {
  const told = (secrets: readonly string[] = []) => {
    const lines: string[] = []
    return { lines, ...createOperatorLog({ write: (text) => lines.push(text) }, secrets) }
  }

  it('is a line for each event, with the server it is of', () => {
    const { lines, onEvent, onLogError } = told()
    onEvent('warn', 'kb', 'It is slow.')
    onEvent('info', '', 'The changed policy is in force')
    onLogError('The disk is full.')
    expect(lines).toEqual([
      'kb: It is slow.\n',
      'The changed policy is in force\n',
      'log: The disk is full.\n',
    ])
  })

  it('holds nothing that the configuration was filled in with, and no secret by its form', () => {
    const { lines, onEvent, onLogError } = told(['correct horse'])
    const failure = 'fetch failed: https://ana:hunter22@kb.example/mcp?q=correct%20horse'
    onEvent('error', 'kb', failure)
    onLogError(failure)
    expect(lines.join('')).not.toMatch(/correct|horse|hunter22/)
    expect(lines.join('')).toContain('kb.example')
  })

  it('cannot move the cursor, colour a terminal or begin another line', () => {
    const { lines, onEvent } = told()
    onEvent('error', 'kb', 'gone\u001b[2J\u001b]0;x\u0007\nkb: all is well\u202e')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^kb: [^\p{C}]+\n {2}kb: [^\p{C}]+\n$/u)
  })
})

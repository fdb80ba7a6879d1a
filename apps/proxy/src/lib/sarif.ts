import type { VerifyProblem } from './verify-command.ts'

/** The problems as SARIF 2.1.0, which code hosts show beside the lock file. */
export const toSarif = (file: string, problems: readonly VerifyProblem[]) => ({
  $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
  version: '2.1.0',
  runs: [
    {
      tool: {
        driver: {
          name: 'truename',
          rules: [...new Set(problems.map(({ code }) => code))].map((id) => ({ id })),
        },
      },
      results: problems.map(({ server, code, level, message }) => ({
        ruleId: code,
        level,
        message: { text: `${server}: ${message}` },
        locations: [
          { physicalLocation: { artifactLocation: { uri: file } }, logicalLocations: [{ name: server }] },
        ],
      })),
    },
  ],
})

// `npm run lint|format|typecheck|build|unit|bench|conformance`: one step of `npm test`, alone.
import { install, run } from './workspace.mjs'

const steps = {
  build: ['turbo', 'run', 'build', '--output-logs=errors-only'],
  lint: ['biome', 'ci', '--error-on-warnings', '.'],
  format: ['biome', 'check', '--write', '.'],
  typecheck: ['tsc', '-p', '.'],
  unit: ['vitest', 'run', '--project', 'fast'],
  bench: ['turbo', 'run', 'bench'],
  conformance: ['node', 'tooling/conformance/src/run.mjs'],
}

const [step, ...more] = process.argv.slice(2)
const command = steps[step]
if (!command) {
  console.error(`Unknown step '${step}'. Steps: ${Object.keys(steps).join(', ')}.`)
  process.exit(2)
}
install()
process.exitCode = await run(command[0], [...command.slice(1), ...more])

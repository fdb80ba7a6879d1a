import { application } from '../tsup.mjs'

// Each suite is an entry of its own, so that a new file in src/suites is run without being listed anywhere.
export default application(['src/main.ts', 'src/suites/*.ts'], { sourcemap: false, splitting: true })

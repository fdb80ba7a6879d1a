import { application } from '../../tooling/tsup.mjs'

export default application(['src/main.ts'])

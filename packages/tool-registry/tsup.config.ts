import { library } from '../../tooling/tsup.mjs'

export default library(['src/index.ts', 'src/identity.ts'])

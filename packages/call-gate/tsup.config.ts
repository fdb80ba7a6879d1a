import { library } from '../../tooling/tsup.mjs'

export default library(['src/index.ts', 'src/file.ts', 'src/postgres.ts'])

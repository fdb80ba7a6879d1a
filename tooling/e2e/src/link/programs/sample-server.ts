import { serveStdio } from '@truename/sdk-v2'
import { sampleService } from '../sample-service.ts'

const { service } = sampleService()
console.log('a banner that must not reach stdout')
const endpoint = await serveStdio(service)
console.debug('nor this')
process.stdout.write('nor that\n')
await endpoint.closed

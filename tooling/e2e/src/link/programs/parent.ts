import { connect } from '@truename/sdk-v2'
import { stdioConfig } from '../programs.ts'

// Starts a server that ends on nothing but a signal, says so, and then goes the way its argument names.
const [way = '', file = '', record = ''] = process.argv.slice(2)
const connected = await connect(stdioConfig('child', [file, 'stubborn', record]), {
  client: { name: 'parent', version: '1' },
  era: 'legacy',
})
console.log(connected.ok ? 'connected' : connected.failure.message)
if (way === 'exit') process.exit(0)
if (way === 'throw') throw new Error('uncaught')
if (way === 'reject') void Promise.reject(new Error('unhandled'))
setInterval(() => undefined, 1000)

export { version } from './base/version.ts'

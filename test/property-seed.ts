// CI repeats the same cases of property tests; elsewhere each run draws others.
import { configureGlobal } from 'fast-check'

if (process.env['CI'] !== undefined) configureGlobal({ seed: 1 })

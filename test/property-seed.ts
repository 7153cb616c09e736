// In CI, property tests repeat the same cases; elsewhere, each run uses other random cases.
import { configureGlobal } from 'fast-check'

if (process.env['CI'] !== undefined) configureGlobal({ seed: 1 })

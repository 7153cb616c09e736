import { areas } from './areas.ts'
import { runConformance } from './run.ts'

const words = process.argv.slice(2)
const flags = words.filter((word) => word.startsWith('-'))
const folders = words.filter((word) => !word.startsWith('-'))
const unknown = flags.find((flag) => flag !== '--verbose')

if (unknown !== undefined || folders.length > 1) {
  console.error(`conformance: ${unknown ?? folders[1]}: usage: npm run conformance -- [DIR] [--verbose]`)
  process.exitCode = 2
} else {
  process.exitCode = runConformance({
    folder: folders[0] ?? 'test/golden',
    areas,
    verbose: flags.includes('--verbose'),
    print: (line) => console.log(line),
  })
}

// Takes the screenshots in docs/screenshots: `node scripts/screenshots.mjs [FOLDER [NAME…]]`.
import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildPackage, bundleTypeScript } from './build.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
for (const line of await buildPackage(root)) process.stderr.write(`${line}\n`)
const program = await bundleTypeScript(root, 'test/console/screenshots.ts')
process.exitCode = spawnSync(process.execPath, ['--enable-source-maps', program, ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
}).status

// Creates the archive of the krew plugin, the package with its dependencies, and prints its manifest:
//   npm pack && node scripts/krew-archive.mjs kubeberth-0.1.0.tgz berth-krew.tar.gz URL
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const [packed, archive, url] = process.argv.slice(2)
if (url === undefined) throw new Error('usage: node scripts/krew-archive.mjs PACKAGE.tgz ARCHIVE.tar.gz URL')
const folder = mkdtempSync(join(tmpdir(), 'berth-krew-'))
try {
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const options = ['--omit=dev', '--omit=peer', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock']
  execFileSync('npm', ['install', ...options, resolve(packed)], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  execFileSync('tar', ['czf', resolve(archive), '-C', folder, 'node_modules'])
} finally {
  rmSync(folder, { recursive: true, force: true })
}
const sha256 = createHash('sha256').update(readFileSync(archive)).digest('hex')
const manifest = readFileSync(new URL('../deploy/krew.yaml', import.meta.url), 'utf8')
process.stdout.write(manifest.replace('URL_OF_THE_ARCHIVE', url).replace('SHA256_OF_THE_ARCHIVE', sha256))

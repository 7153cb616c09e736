import { defineConfig } from 'vite'
import { singleFile } from './vite.single-file.ts'

/** The console, with a cluster in its page. */
export default defineConfig(singleFile('export', 'berthConsole'))

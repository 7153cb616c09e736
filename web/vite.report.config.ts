import { defineConfig } from 'vite'
import { singleFile } from './vite.single-file.ts'

/** The page of a forecast. */
export default defineConfig(singleFile('report', 'berthReport'))

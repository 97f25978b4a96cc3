/** `npm run languages`: what each file of kernel/languages lacks, and what it need not have. */
import { allGaps, faultsOf } from './gaps.ts';

const { all, gaps } = allGaps();
for (const gap of gaps) {
  const { language, lacking, unused } = gap;
  console.log(`${language}: ${all - lacking.length} of ${all} texts`);
  for (const text of lacking) console.log(`  lacks: ${text}`);
  for (const text of unused) console.log(`  unused: ${text}`);
  for (const fault of faultsOf(gap, all)) console.log(`  ${fault}`);
  if (faultsOf(gap, all).length > 0) process.exitCode = 1;
}

import { describeHttpAudits } from './http-audits.ts';
import { sampleYoga } from './plugins/sample-yoga.ts';

const { yoga } = sampleYoga();
describeHttpAudits('the plugins on a sample schema', (request) => yoga.fetch(request));

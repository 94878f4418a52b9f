import Resampling

for kernel in ResamplingKernel.allCases { print(kernel) }

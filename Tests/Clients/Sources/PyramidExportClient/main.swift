import PyramidExport

print("PyramidExport")

// The file ASSET of the folder ASSETS: returns it if it is the one with the number. The files that include this list each
// file once; an #embed cannot come from a macro with arguments.
if (number-- == 0) {
    static const unsigned char bytes[] = {
#embed TEXT(ASSETS/ASSET)
    };
    static const struct page_asset asset = { TEXT(ASSET), bytes, sizeof bytes };
    return &asset;
}
#undef ASSET
